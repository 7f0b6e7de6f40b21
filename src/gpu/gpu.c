/* SPDX-License-Identifier: Apache-2.0
 * Opening a GPU: finding the driver, the device and its facts; what the driver's errors mean. */
#include "gpu/gpu.h"

#include "base/dynamic.h"
#include "gpu/blas.h"

#include <stdlib.h>
#include <string.h>

enum { OLDEST_DRIVER = 11040 };

/* ---- errors ---------------------------------------------------------------------------------- */

/* What a CUresult is to the user; numbers of cuda.h. What is not listed is our own fault. */
static const struct {
    int result;
    ifl_status status;
    const char *advice;
} meanings[] = {
    {2, IFL_NO_MEMORY, "the GPU does not have that much free memory"},
    {3, IFL_NO_GPU, ""},
    {34, IFL_NO_GPU,
     "the libcuda.so that was found is a stub of the CUDA toolkit: install the driver"},
    {35, IFL_NO_GPU, "the driver is too old for this GPU: update it"},
    {46, IFL_NO_GPU, "another process uses the GPU exclusively (nvidia-smi -q -d COMPUTE)"},
    {100, IFL_NO_GPU,
     "no NVIDIA GPU is visible here: nvidia-smi lists them, CUDA_VISIBLE_DEVICES hides them"},
    {101, IFL_NO_GPU, "there is no such GPU: nvidia-smi -L lists them"},
    {200, IFL_UNSUPPORTED, ""},
    {209, IFL_UNSUPPORTED, "the code was made for another GPU: compile for this one"},
    {218, IFL_UNSUPPORTED, "the driver's compiler refuses the PTX"},
    {221, IFL_NO_GPU, "the driver's PTX compiler (libnvidia-ptxjitcompiler.so) is not installed"},
    {222, IFL_UNSUPPORTED,
     "the PTX is newer than the driver: update it, or compile with an older CUDA"},
    {304, IFL_NO_GPU,
     "the system denies access: do the devices /dev/nvidia* exist, and may you use them?"},
    {500, IFL_BAD_INPUT, ""},
    {700, IFL_FINDING,
     "the kernel accesses memory out of bounds: run it on the engine to see where"},
    {701, IFL_UNSUPPORTED,
     "a block of this size needs more registers or shared memory than an SM has"},
    {702, IFL_FINDING, "the kernel ran for too long"},
    {710, IFL_FINDING, "an assertion of the kernel failed"},
    {714, IFL_FINDING, "the kernel's stack is corrupt"},
    {715, IFL_FINDING, "the kernel executed an illegal instruction"},
    {716, IFL_FINDING, "an address is misaligned: run it on the engine to see where"},
    {717, IFL_FINDING, "an instruction accessed an address space that it cannot address"},
    {718, IFL_FINDING, ""},
    {719, IFL_FINDING, "the kernel failed: run it on the engine to see where"},
    {720, IFL_UNSUPPORTED,
     "the grid of a cooperative kernel must fit the GPU at once: make it smaller"},
    {802, IFL_NO_GPU, "the system's fabric manager is not ready"},
    {803, IFL_NO_GPU,
     "libcuda and the kernel module are of different versions: restart, or reinstall"},
    {804, IFL_NO_GPU,
     "the forward-compatibility libcuda does not support this GPU: remove it from the path"},
    {999, IFL_NO_GPU, ""},
};

ifl_status ifl_gpu_check(const ifl_gpu *gpu, int result, ifl_error *error, const char *what)
{
    const char *name = NULL, *text = NULL, *advice = "";
    ifl_status status = IFL_INTERNAL;
    if (result == 0)
        return IFL_OK;
    gpu->cu.error_name(result, &name);
    gpu->cu.error_text(result, &text);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].result == result) {
            status = meanings[i].status;
            advice = meanings[i].advice;
        }
    return ifl_fail(error, status, "%s: %s (%d): %s%s%s", what, name ? name : "CUDA error", result,
                    text ? text : "unknown", *advice ? "\n" : "", advice);
}

/* ---- the driver ------------------------------------------------------------------------------ */

static const ifl_symbol symbols[] = {
#define FUNCTION(name, symbol, needed, arguments) {symbol, offsetof(ifl_driver, name), needed},
#include "gpu/driver.def"
};

static ifl_status load_driver(ifl_gpu *gpu, ifl_error *error)
{
    static const char *const folders[] = {"", "/usr/lib/wsl/lib/"};
    static const char *const names[] = {"libcuda.so.1"};
    gpu->library = ifl_dynamic_open(folders, 2, names, 1);
    if (!gpu->library)
        return ifl_fail(error, IFL_NO_GPU,
                        "no NVIDIA driver is installed here: libcuda.so.1 is not found\n"
                        "without a GPU, --on engine counts the same kernel");
    const char *missing =
        ifl_dynamic_find(gpu->library, symbols, sizeof symbols / sizeof *symbols, &gpu->cu);
    if (missing)
        return ifl_fail(error, IFL_NO_GPU,
                        "the NVIDIA driver is too old or incomplete: libcuda.so.1 has no %s\n"
                        "update it to one that supports CUDA %d.%d or later",
                        missing, OLDEST_DRIVER / 1000, OLDEST_DRIVER % 1000 / 10);
    return IFL_OK;
}

static ifl_status check_version(ifl_gpu *gpu, ifl_error *error)
{
    const ifl_status status =
        ifl_gpu_check(gpu, gpu->cu.version(&gpu->driver), error, "asking for the driver's version");
    if (status != IFL_OK || gpu->driver >= OLDEST_DRIVER)
        return status;
    return ifl_fail(
        error, IFL_NO_GPU,
        "the NVIDIA driver supports CUDA %d.%d only: update it to one that supports %d.%d or later",
        gpu->driver / 1000, gpu->driver % 1000 / 10, OLDEST_DRIVER / 1000,
        OLDEST_DRIVER % 1000 / 10);
}

/* ---- the device ------------------------------------------------------------------------------ */

int ifl_gpu_attribute(const ifl_gpu *gpu, int attribute)
{
    int value = 0;
    return gpu->cu.device_attribute(&value, attribute, gpu->device) == 0 ? value : 0;
}

static void read_facts(ifl_gpu *gpu)
{
    size_t bytes = 0;
    gpu->sm = 10 * ifl_gpu_attribute(gpu, IFL_GPU_MAJOR) + ifl_gpu_attribute(gpu, IFL_GPU_MINOR);
    gpu->sms = ifl_gpu_attribute(gpu, IFL_GPU_SMS);
    gpu->l2_bytes = (uint64_t)ifl_gpu_attribute(gpu, IFL_GPU_L2_BYTES);
    if (gpu->cu.device_memory(&bytes, gpu->device) == 0)
        gpu->memory_bytes = bytes;
}

static ifl_status choose_device(ifl_gpu *gpu, int ordinal, ifl_error *error)
{
    int count = 0;
    ifl_status status = ifl_gpu_check(gpu, gpu->cu.device_count(&count), error, "counting GPUs");
    if (status == IFL_OK && (ordinal < 0 || ordinal >= count))
        return ifl_fail(error, IFL_NO_GPU, "there is no GPU %d: %d %s here", ordinal, count,
                        count == 1 ? "is" : "are");
    if (status == IFL_OK)
        status =
            ifl_gpu_check(gpu, gpu->cu.device_get(&gpu->device, ordinal), error, "choosing a GPU");
    if (status == IFL_OK)
        status = ifl_gpu_check(gpu, gpu->cu.device_name(gpu->name, sizeof gpu->name, gpu->device),
                               error, "asking for the GPU's name");
    if (status == IFL_OK)
        read_facts(gpu);
    return status;
}

static ifl_status make_context(ifl_gpu *gpu, ifl_error *error)
{
    void *context = NULL;
    ifl_status status = ifl_gpu_check(gpu, gpu->cu.context_retain(&context, gpu->device), error,
                                      "starting to use the GPU");
    gpu->has_context = status == IFL_OK;
    if (status == IFL_OK)
        status = ifl_gpu_check(gpu, gpu->cu.context_set(context), error, "using the GPU");
    if (status == IFL_OK)
        status = ifl_gpu_check(gpu, gpu->cu.stream_new(&gpu->stream, 0), error, "making a stream");
    return status;
}

static ifl_status open_gpu(ifl_gpu *gpu, int ordinal, ifl_error *error)
{
    ifl_status status = load_driver(gpu, error);
    if (status == IFL_OK)
        status = ifl_gpu_check(gpu, gpu->cu.init(0), error, "starting the NVIDIA driver");
    if (status == IFL_OK)
        status = check_version(gpu, error);
    if (status == IFL_OK)
        status = choose_device(gpu, ordinal, error);
    return status == IFL_OK ? make_context(gpu, error) : status;
}

ifl_status ifl_gpu_open(int ordinal, ifl_gpu **out, ifl_error *error)
{
    *out = NULL;
    ifl_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return ifl_fail_memory(error, sizeof *gpu);
    const ifl_status status = open_gpu(gpu, ordinal, error);
    if (status == IFL_OK)
        *out = gpu;
    else
        ifl_gpu_close(gpu);
    return status;
}

void ifl_gpu_close(ifl_gpu *gpu)
{
    if (!gpu)
        return;
    ifl_gpu_blas_close(gpu);
    if (gpu->scratch)
        gpu->cu.release(gpu->scratch);
    if (gpu->kernels)
        gpu->cu.module_unload(gpu->kernels);
    for (size_t i = 0; i < gpu->kept.count; i++)
        gpu->cu.module_unload(gpu->kept.at[i].module);
    ifl_vec_free(&gpu->kept);
    if (gpu->stream)
        gpu->cu.stream_free(gpu->stream);
    if (gpu->has_context)
        gpu->cu.context_release(gpu->device);
    ifl_dynamic_close(gpu->library);
    free(gpu);
}

const char *ifl_gpu_name(const ifl_gpu *gpu)
{
    return gpu->name;
}

int ifl_gpu_sm(const ifl_gpu *gpu)
{
    return gpu->sm;
}

int ifl_gpu_cuda(const ifl_gpu *gpu)
{
    return gpu->driver;
}
