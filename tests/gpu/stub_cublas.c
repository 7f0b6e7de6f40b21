/* SPDX-License-Identifier: Apache-2.0
 * A libcublas.so.13 without a GPU, beside stub_cuda.c: its functions are kernels of that stub.
 * Signatures: cuBLAS.
 *
 *   STUB_CUBLAS_FAIL=SYMBOL   SYMBOL fails */
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { NOT_INITIALIZED = 1, EXECUTION_FAILED = 13 };

int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **params, void **extra);

static int fails(const char *symbol)
{
    const char *wanted = getenv("STUB_CUBLAS_FAIL");
    return wanted && strcmp(wanted, symbol) == 0;
}

static void *stream_of_all;

API int cublasCreate_v2(void **handle)
{
    *handle = &stream_of_all;
    return fails(__func__) ? NOT_INITIALIZED : 0;
}

API int cublasDestroy_v2(void *handle)
{
    (void)handle;
    return 0;
}

API int cublasSetStream_v2(void *handle, void *stream)
{
    *(void **)handle = stream;
    return fails(__func__) ? NOT_INITIALIZED : 0;
}

API int cublasSaxpy_v2(void *handle, int n, const float *alpha, const float *x, int x_step,
                       float *y, int y_step)
{
    float factor = *alpha;
    void *function = NULL, *params[] = {&n, &factor, &x, &y};
    if (fails(__func__) || x_step != 1 || y_step != 1 ||
        cuModuleGetFunction(&function, NULL, "library_saxpy") != 0)
        return EXECUTION_FAILED;
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, *(void **)handle, params, NULL);
}

/* A square matrix turned over, as inflight asks for it. */
API int cublasDgeam(void *handle, int of_a, int of_b, int rows, int columns, const double *alpha,
                    const double *a, int a_step, const double *beta, const double *b, int b_step,
                    double *c, int c_step)
{
    int n = rows;
    void *function = NULL, *params[] = {&n, &a, &c};
    (void)b, (void)b_step;
    if (fails(__func__) || of_a != 1 || of_b != 0 || rows != columns || *alpha != 1 || *beta != 0 ||
        a_step != n || c_step != n ||
        cuModuleGetFunction(&function, NULL, "library_transpose") != 0)
        return EXECUTION_FAILED;
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, *(void **)handle, params, NULL);
}

/* Types of cudaDataType: 0 float, 14 bfloat16. Nothing here has bfloat16. */
API int cublasAxpyEx(void *handle, int n, const void *alpha, int alpha_type, const void *x,
                     int x_type, int x_step, void *y, int y_type, int y_step, int compute_type)
{
    (void)handle, (void)n, (void)alpha, (void)alpha_type, (void)x, (void)x_type, (void)x_step;
    (void)y, (void)y_type, (void)y_step, (void)compute_type;
    return EXECUTION_FAILED;
}
