/* SPDX-License-Identifier: Apache-2.0
 * Memory pools and advice about managed memory. A pool gives what cudaMalloc gives; advice changes nothing here. */
#include "standin/served.h"

#include <stdlib.h>
#include <string.h>

typedef struct pool {
    uint64_t attribute[16];
} pool;

static pool default_pool;

enum { ATTRIBUTES = sizeof default_pool.attribute / sizeof *default_pool.attribute, NARROW_ATTRIBUTES = 4 };

extern ifl_cuda_error cudaMallocAsync(void **out, size_t bytes, void *stream);

static ifl_cuda_error give_default(void **out, int device)
{
    *out = &default_pool;
    return device ? ifl_cudaErrorInvalidDevice : ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaDeviceGetDefaultMemPool(void **out, int device)
{
    return ifl_state_end(give_default(out, device));
}

IFL_SERVED ifl_cuda_error cudaDeviceGetMemPool(void **out, int device)
{
    return ifl_state_end(give_default(out, device));
}

IFL_SERVED ifl_cuda_error cudaDeviceSetMemPool(int device, void *unused)
{
    (void)unused;
    return ifl_state_end(device ? ifl_cudaErrorInvalidDevice : ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaMemPoolCreate(pool **out, const void *properties)
{
    (void)properties;
    *out = calloc(1, sizeof **out);
    return ifl_state_end(*out ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation);
}

IFL_SERVED ifl_cuda_error cudaMemPoolDestroy(pool *of)
{
    if (of != &default_pool)
        free(of);
    return ifl_state_end(ifl_cudaSuccess);
}

/* The first three attributes are ints, the others 64 bits. */
static size_t bytes_of(int attribute)
{
    return attribute < NARROW_ATTRIBUTES ? sizeof(int) : sizeof(uint64_t);
}

IFL_SERVED ifl_cuda_error cudaMemPoolSetAttribute(pool *of, int attribute, const void *value)
{
    if (attribute <= 0 || attribute >= ATTRIBUTES)
        return ifl_state_end(ifl_cudaErrorInvalidValue);
    memcpy(&of->attribute[attribute], value, bytes_of(attribute));
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaMemPoolGetAttribute(pool *of, int attribute, void *value)
{
    if (attribute <= 0 || attribute >= ATTRIBUTES)
        return ifl_state_end(ifl_cudaErrorInvalidValue);
    memcpy(value, &of->attribute[attribute], bytes_of(attribute));
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaMemPoolTrimTo(pool *of, size_t bytes)
{
    (void)of, (void)bytes;
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaMemPoolSetAccess(pool *of, const void *access, size_t count)
{
    (void)of, (void)access, (void)count;
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaMallocFromPoolAsync(void **out, size_t bytes, pool *of, void *stream)
{
    (void)of;
    return cudaMallocAsync(out, bytes, stream);
}
ALSO(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

/* ---- advice ---------------------------------------------------------------------------------- */

static ifl_cuda_error check_managed(ifl_session *session, const void *at)
{
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)at);
    return a && a->flags & IFL_ALLOCATION_ADOPTED ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

#if IFL_CUDART >= 13
typedef struct location {
    int type, id;
} location;

IFL_SERVED ifl_cuda_error cudaMemPrefetchAsync(const void *at, size_t bytes, location to, unsigned flags, void *stream)
{
    (void)bytes, (void)to, (void)flags, (void)stream;
    SERVE(check_managed(session, at));
}

IFL_SERVED ifl_cuda_error cudaMemAdvise(const void *at, size_t bytes, int advice, location to)
{
    (void)bytes, (void)advice, (void)to;
    SERVE(check_managed(session, at));
}
#else
IFL_SERVED ifl_cuda_error cudaMemPrefetchAsync(const void *at, size_t bytes, int to, void *stream)
{
    (void)bytes, (void)to, (void)stream;
    SERVE(check_managed(session, at));
}

IFL_SERVED ifl_cuda_error cudaMemAdvise(const void *at, size_t bytes, int advice, int to)
{
    (void)bytes, (void)advice, (void)to;
    SERVE(check_managed(session, at));
}
#endif
ALSO(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);

/* ---- profilers ------------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaProfilerStart(void)
{
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaProfilerStop(void)
{
    return ifl_cudaSuccess;
}
