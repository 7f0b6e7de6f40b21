/* SPDX-License-Identifier: Apache-2.0
 * See pool.h. */
#include "standin/pool.h"

#include "standin/handle.h"

#include <stdlib.h>

static ifl_pool *own[IFL_MOST_GPUS], *current[IFL_MOST_GPUS]; /* NULL: not asked for yet; not set */

ifl_pool *ifl_pool_new(int gpu)
{
    ifl_pool *pool = calloc(1, sizeof *pool);
    if (!pool || !ifl_handle_add(IFL_HANDLE_POOL, pool)) {
        free(pool);
        return NULL;
    }
    pool->gpu = gpu;
    pool->access[gpu] = IFL_POOL_READ_AND_WRITE;
    return pool;
}

ifl_pool *ifl_pool_default(int gpu)
{
    if (!own[gpu])
        own[gpu] = ifl_pool_new(gpu);
    return own[gpu];
}

ifl_pool *ifl_pool_current(int gpu)
{
    return current[gpu] ? current[gpu] : ifl_pool_default(gpu);
}

ifl_pool *ifl_pool_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_POOL, handle);
}

bool ifl_pool_use(int gpu, const void *handle)
{
    ifl_pool *pool = ifl_pool_of(handle);
    if (!pool || pool->gpu != gpu)
        return false;
    current[gpu] = pool;
    return true;
}

/* CUDA Runtime API, cudaMemPoolDestroy: a GPU whose current pool goes allocates from its own
 * again. */
bool ifl_pool_destroy(const void *handle)
{
    ifl_pool *pool = ifl_pool_of(handle);
    if (!pool || pool == own[pool->gpu])
        return false;
    if (pool == current[pool->gpu])
        current[pool->gpu] = NULL;
    ifl_handle_remove(pool);
    free(pool);
    return true;
}
