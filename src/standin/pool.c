/* SPDX-License-Identifier: Apache-2.0
 * See pool.h. */
#include "standin/pool.h"

#include "standin/handle.h"

#include <stdlib.h>

static ifl_pool *of_device, *current; /* NULL: not asked for yet; not set */

ifl_pool *ifl_pool_new(void)
{
    ifl_pool *pool = calloc(1, sizeof *pool);
    if (pool && ifl_handle_add(IFL_HANDLE_POOL, pool))
        return pool;
    free(pool);
    return NULL;
}

ifl_pool *ifl_pool_default(void)
{
    if (!of_device)
        of_device = ifl_pool_new();
    return of_device;
}

ifl_pool *ifl_pool_current(void)
{
    return current ? current : ifl_pool_default();
}

ifl_pool *ifl_pool_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_POOL, handle);
}

bool ifl_pool_use(const void *handle)
{
    ifl_pool *pool = ifl_pool_of(handle);
    if (pool)
        current = pool;
    return pool != NULL;
}

/* CUDA Runtime API, cudaMemPoolDestroy: a GPU whose current pool goes allocates from its own again. */
bool ifl_pool_destroy(const void *handle)
{
    ifl_pool *pool = ifl_pool_of(handle);
    if (!pool || pool == of_device)
        return false;
    if (pool == current)
        current = NULL;
    ifl_handle_remove(pool);
    free(pool);
    return true;
}
