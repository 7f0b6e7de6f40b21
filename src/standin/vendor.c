/* SPDX-License-Identifier: Apache-2.0
 * See vendor.h. */
#include "standin/vendor.h"

#include <string.h>

/* NVIDIA's libraries, which nobody can build otherwise, by the beginning of their files' names. */
static const struct {
    const char *file, *name, *instead;
} vendors[] = {
    {"libcublas", "cuBLAS",
     "products of matrices run as kernels of Triton, CUTLASS or your own; in PyTorch with "
     "torch.compile and "
     "torch._inductor.config.max_autotune_gemm_backends = \"TRITON\" (docs/run.md)"},
    {"libcudnn", "cuDNN", "convolutions run as kernels of Triton or your own"},
    {"libcufft", "cuFFT", "what else the program does runs without it"},
    {"libcurand", "cuRAND",
     "its functions for kernels (curand_kernel.h) run, as do generators of PyTorch, CuPy "
     "(default_rng) and Numba"},
    {"libcusparse", "cuSPARSE", "what else the program does runs without it"},
    {"libcusolver", "cuSOLVER", "what else the program does runs without it"},
    {"libcutensor", "cuTENSOR", "what else the program does runs without it"},
};

ifl_status ifl_vendor_check(const char *path, ifl_error *error)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if (strncmp(file, vendors[i].file, strlen(vendors[i].file)) == 0)
            return ifl_fail(
                error, IFL_UNSUPPORTED,
                "%s needs a GPU: '%.200s' has its own CUDA runtime inside, of a build "
                "that inflight does not know and "
                "that no libcudart_static.a found here names "
                "(INFLIGHT_CUDART_STATIC=FILE adds one: of the same CUDA version, or from "
                "12.8 on its libcudart.so). Without it, %s",
                vendors[i].name, path, vendors[i].instead);
    return IFL_OK;
}
