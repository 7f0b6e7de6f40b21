/* SPDX-License-Identifier: Apache-2.0
 * See pool.h. */
#include "standin/pool.h"

#include "base/vec.h"
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
    for (int reuse = 1; reuse <= IFL_POOL_REUSES; reuse++) /* CUDA Runtime API: enabled */
        pool->attribute[reuse] = 1;
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
    if (!pool || pool->gpu != gpu || pool->is_imported)
        return false;
    current[gpu] = pool;
    return true;
}

/* ---- what they hold -------------------------------------------------------------------------- */

typedef struct held {
    ifl_pool *pool;
    uint64_t address, bytes;
} held;

static IFL_VEC(held) all;

enum { RESERVED = 5, RESERVED_MOST = 6, USED = 7, USED_MOST = 8 };

/* cudaMemPoolAttr: nothing is reserved that is not used. */
static void count(ifl_pool *pool, uint64_t bytes, bool is_more)
{
    uint64_t *at = pool->attribute;
    at[USED] += is_more ? bytes : -bytes;
    at[RESERVED] = at[USED];
    at[USED_MOST] = at[USED] > at[USED_MOST] ? at[USED] : at[USED_MOST];
    at[RESERVED_MOST] = at[RESERVED] > at[RESERVED_MOST] ? at[RESERVED] : at[RESERVED_MOST];
}

bool ifl_pool_has_room(const ifl_pool *pool, uint64_t bytes)
{
    return !pool->most || (bytes <= pool->most && pool->attribute[USED] <= pool->most - bytes);
}

static void drop(size_t index)
{
    if (all.at[index].pool)
        count(all.at[index].pool, all.at[index].bytes, false);
    all.at[index] = all.at[--all.count];
}

void ifl_pool_hold(ifl_pool *pool, uint64_t address, uint64_t bytes)
{
    for (size_t i = all.count; i-- > 0;)
        if (all.at[i].address == address)
            drop(i);
    if (pool && ifl_vec_push(&all, (held){pool, address, bytes}))
        count(pool, bytes, true);
}

ifl_pool *ifl_pool_holding(uint64_t address)
{
    for (size_t i = 0; i < all.count; i++)
        if (address - all.at[i].address < all.at[i].bytes)
            return all.at[i].pool;
    return NULL;
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
    for (size_t i = all.count; i-- > 0;)
        if (all.at[i].pool == pool)
            drop(i);
    ifl_handle_remove(pool);
    free(pool);
    return true;
}
