/* SPDX-License-Identifier: Apache-2.0
 * Memory pools. A pool gives what cudaMalloc gives. */
#include "standin/chosen_gpu.h"
#include "standin/managed_range.h"
#include "standin/pool.h"
#include "standin/served.h"

#include <string.h>

extern ifl_cuda_error cudaMallocAsync(void **out, size_t bytes, void *stream);

static ifl_cuda_error give(void **out, ifl_pool *(*from)(int gpu), int device)
{
    if (!ifl_gpu_exists(device) || !out)
        return out ? ifl_cudaErrorInvalidDevice : ifl_cudaErrorInvalidValue;
    *out = from(device);
    return *out ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cudaDeviceGetDefaultMemPool(void **out, int device)
{
    SERVE(give(out, ifl_pool_default, device));
}

IFL_SERVED ifl_cuda_error cudaDeviceGetMemPool(void **out, int device)
{
    SERVE(give(out, ifl_pool_current, device));
}

static ifl_cuda_error check(const void *handle)
{
    return ifl_pool_of(handle) ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

static ifl_cuda_error set_current(int device, const void *handle)
{
    if (!ifl_gpu_exists(device))
        return ifl_cudaErrorInvalidDevice;
    return ifl_pool_use(device, handle) ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaDeviceSetMemPool(int device, const void *pool)
{
    SERVE(set_current(device, pool));
}

#if IFL_CUDART >= 13
/* Pools hold the GPU's memory here: none is the host's, or managed. */
static ifl_cuda_error gpu_of(const ifl_location *at, int allocation, int *gpu)
{
    enum { PINNED = 1, MANAGED = 2 };
    if (!at || (allocation != PINNED && allocation != MANAGED))
        return ifl_cudaErrorInvalidValue;
    *gpu = at->id;
    return at->type == IFL_LOCATION_GPU && allocation == PINNED ? ifl_cudaSuccess
                                                                : ifl_cudaErrorNotSupported;
}

static ifl_cuda_error give_at(void **out, ifl_pool *(*from)(int gpu), const ifl_location *at,
                              int allocation)
{
    int gpu;
    const ifl_cuda_error code = gpu_of(at, allocation, &gpu);
    return code == ifl_cudaSuccess ? give(out, from, gpu) : code;
}

IFL_SERVED ifl_cuda_error cudaMemGetDefaultMemPool(void **out, const ifl_location *at,
                                                   int allocation)
{
    SERVE(give_at(out, ifl_pool_default, at, allocation));
}

IFL_SERVED ifl_cuda_error cudaMemGetMemPool(void **out, const ifl_location *at, int allocation)
{
    SERVE(give_at(out, ifl_pool_current, at, allocation));
}

/* No pool here is of another kind, and another place takes none of this (measured on an H200, driver
 * 580, for managed memory). */
static ifl_cuda_error set_at(const ifl_location *at, int allocation, const void *pool)
{
    int gpu;
    return gpu_of(at, allocation, &gpu) == ifl_cudaSuccess ? set_current(gpu, pool)
                                                           : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaMemSetMemPool(const ifl_location *at, int allocation,
                                            const void *pool)
{
    SERVE(set_at(at, allocation, pool));
}
#endif

/* cudaMemPoolProps, as far as it says where the pool is. */
typedef struct pool_properties {
    int allocation, handles;
    int location, gpu;
    const void *security; /* of Windows */
    size_t most;
} pool_properties;

static ifl_cuda_error make(void **out, const pool_properties *properties)
{
    enum { ON_GPU = 1 };
    const int gpu = properties && properties->location == ON_GPU ? properties->gpu : 0;
    const ifl_cuda_error code = properties && ifl_gpu_exists(gpu) ? give(out, ifl_pool_new, gpu)
                                                                  : ifl_cudaErrorInvalidValue;
    if (code != ifl_cudaSuccess)
        return code;
    ((ifl_pool *)*out)->handles = properties->handles;
    ((ifl_pool *)*out)->most = properties->most;
    return code;
}

IFL_SERVED ifl_cuda_error cudaMemPoolCreate(void **out, const void *properties)
{
    SERVE_UNSAFE(make(out, properties));
}

IFL_SERVED ifl_cuda_error cudaMemPoolDestroy(const void *pool)
{
    SERVE(ifl_pool_destroy(pool) ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}

/* The first three attributes are ints, the others 64 bits. */
static size_t bytes_of(int attribute)
{
    enum { NARROW_ATTRIBUTES = 4 };
    return attribute < NARROW_ATTRIBUTES ? sizeof(int) : sizeof(uint64_t);
}

static uint64_t *attribute_of(const void *handle, int attribute)
{
    ifl_pool *pool = ifl_pool_of(handle);
    return pool && attribute > 0 && attribute < IFL_POOL_ATTRIBUTES ? &pool->attribute[attribute]
                                                                    : NULL;
}

static ifl_cuda_error copy_attribute(void *to, const void *from, int attribute)
{
    if (!to || !from)
        return ifl_cudaErrorInvalidValue;
    memcpy(to, from, bytes_of(attribute));
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaMemPoolSetAttribute(const void *pool, int attribute,
                                                  const void *value)
{
    SERVE(copy_attribute(attribute_of(pool, attribute), value, attribute));
}

IFL_SERVED ifl_cuda_error cudaMemPoolGetAttribute(const void *pool, int attribute, void *value)
{
    SERVE(copy_attribute(value, attribute_of(pool, attribute), attribute));
}

IFL_SERVED ifl_cuda_error cudaMemPoolTrimTo(const void *pool, size_t bytes)
{
    (void)bytes;
    SERVE_UNSAFE(check(pool));
}

/* cudaMemLocation of a GPU; cudaMemAccessDesc */
enum { AT_GPU = 1 };

typedef struct pool_location {
    int type, id;
} pool_location;

typedef struct pool_access {
    pool_location location;
    int flags;
} pool_access;

static int *access_of(const void *handle, const pool_location *location)
{
    ifl_pool *pool = ifl_pool_of(handle);
    return pool && location && location->type == AT_GPU && ifl_gpu_exists(location->id)
               ? &pool->access[location->id]
               : NULL;
}

static ifl_cuda_error set_access(const void *pool, const pool_access *wishes, size_t count)
{
    if (!wishes && count)
        return ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!access_of(pool, &wishes[i].location))
            return ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        *access_of(pool, &wishes[i].location) = wishes[i].flags;
    return check(pool);
}

IFL_SERVED ifl_cuda_error cudaMemPoolSetAccess(const void *pool, const pool_access *wishes,
                                               size_t count)
{
    SERVE(set_access(pool, wishes, count));
}

static ifl_cuda_error get_access(int *flags, const void *pool, const pool_location *location)
{
    const int *kept = access_of(pool, location);
    if (!kept || !flags)
        return ifl_cudaErrorInvalidValue;
    *flags = *kept;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaMemPoolGetAccess(int *flags, const void *pool,
                                               const pool_location *location)
{
    SERVE(get_access(flags, pool, location));
}

static ifl_cuda_error allocate_from(ifl_session *session, void **out, size_t bytes, ifl_pool *pool,
                                    void *stream)
{
    const ifl_cuda_error code = !pool || pool->is_imported ? ifl_cudaErrorInvalidValue
                                : !ifl_pool_has_room(pool, bytes)
                                    ? ifl_cudaErrorMemoryAllocation
                                    : cudaMallocAsync(out, bytes, stream);
    ifl_allocation *a = code == ifl_cudaSuccess
                            ? ifl_memory_find(ifl_session_memory(session), (uintptr_t)*out)
                            : NULL;
    if (a) {
        a->gpu = (uint32_t)pool->gpu;
        ifl_pool_hold(pool, a->address, bytes);
    }
    return code;
}

IFL_SERVED ifl_cuda_error cudaMallocFromPoolAsync(void **out, size_t bytes, const void *pool,
                                                  void *stream)
{
    SERVE(allocate_from(session, out, bytes, ifl_pool_of(pool), stream));
}
ALSO_OF_THREAD(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

/* ---- profilers ------------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaProfilerStart(void)
{
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaProfilerStop(void)
{
    return ifl_cudaSuccess;
}
