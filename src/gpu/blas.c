/* SPDX-License-Identifier: Apache-2.0
 * cuBLAS by dlopen: one handle per GPU, opened when it is first needed. */
#include "gpu/blas.h"

#include "base/dynamic.h"

#include <stdlib.h>
#include <string.h>

/* Of cudaDataType in library_types.h. */
enum { REAL_32F = 0, REAL_16BF = 14 };
/* Of cublasOperation_t. */
enum { AS_IT_IS = 0, TRANSPOSED = 1 };

struct ifl_blas {
    void *library, *handle;
#define FUNCTION(name, symbol, needed, arguments) int(*name) arguments;
#include "gpu/blas.def"
};

static const ifl_symbol symbols[] = {
#define FUNCTION(name, symbol, needed, arguments) {symbol, offsetof(ifl_blas, name), needed},
#include "gpu/blas.def"
};

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct axpy {
    int n;
    float alpha;
    void *x, *y;
} axpy;

static axpy take_axpy(void *const *params)
{
    axpy a;
    memcpy(&a.n, params[0], sizeof a.n);
    memcpy(&a.alpha, params[1], sizeof a.alpha);
    memcpy(&a.x, params[2], sizeof a.x);
    memcpy(&a.y, params[3], sizeof a.y);
    return a;
}

static int put_saxpy(const ifl_blas *b, void *const *params)
{
    const axpy a = take_axpy(params);
    return b->saxpy(b->handle, a.n, &a.alpha, a.x, 1, a.y, 1);
}

static int put_haxpy(const ifl_blas *b, void *const *params)
{
    const axpy a = take_axpy(params);
    return b->axpy_ex(b->handle, a.n, &a.alpha, REAL_32F, a.x, REAL_16BF, 1, a.y, REAL_16BF, 1,
                      REAL_32F);
}

/* out = 1 * in^T + 0 * out */
static int put_transpose(const ifl_blas *b, void *const *params)
{
    const double one = 1, zero = 0;
    int n;
    void *in, *out;
    memcpy(&n, params[0], sizeof n);
    memcpy(&in, params[1], sizeof in);
    memcpy(&out, params[2], sizeof out);
    return b->dgeam(b->handle, TRANSPOSED, AS_IT_IS, n, n, &one, in, n, &zero, out, n, out, n);
}

typedef struct call {
    const char *name;
    int (*put)(const ifl_blas *b, void *const *params);
} call;

static const call calls[] = {
    {"saxpy", put_saxpy}, {"haxpy", put_haxpy}, {"dtranspose", put_transpose}};

static const call *find_call(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    return NULL;
}

/* ---- the library ----------------------------------------------------------------------------- */

static bool start(ifl_blas *b, const ifl_gpu *gpu)
{
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/"};
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
    b->library = ifl_dynamic_open(folders, 2, names, 3);
    if (!b->library || ifl_dynamic_find(b->library, symbols, sizeof symbols / sizeof *symbols, b))
        return false;
    if (b->create(&b->handle) != 0)
        b->handle = NULL;
    return b->handle && b->set_stream(b->handle, gpu->stream) == 0;
}

/* NULL where there is none; it is looked for once. */
static const ifl_blas *open_once(ifl_gpu *gpu)
{
    if (gpu->blas_sought)
        return gpu->blas;
    gpu->blas_sought = true;
    gpu->blas = calloc(1, sizeof *gpu->blas);
    if (gpu->blas && !start(gpu->blas, gpu))
        ifl_gpu_blas_close(gpu);
    return gpu->blas;
}

void ifl_gpu_blas_close(ifl_gpu *gpu)
{
    if (gpu->blas) {
        if (gpu->blas->handle)
            gpu->blas->destroy(gpu->blas->handle);
        if (gpu->blas->library)
            ifl_dynamic_close(gpu->blas->library);
        free(gpu->blas);
    }
    gpu->blas = NULL;
}

bool ifl_gpu_blas_has(ifl_gpu *gpu, const char *name)
{
    return find_call(name) && open_once(gpu);
}

ifl_status ifl_gpu_blas_put(ifl_gpu *gpu, const char *name, void *const *params, ifl_error *error)
{
    const call *is = find_call(name);
    const ifl_blas *b = is ? open_once(gpu) : NULL;
    if (!b)
        return ifl_fail(error, IFL_UNSUPPORTED, "no library that provides %s was found", name);
    const int result = is->put(b, params);
    return result == 0 ? IFL_OK : ifl_fail(error, IFL_INTERNAL, "%s: cuBLAS says %d", name, result);
}
