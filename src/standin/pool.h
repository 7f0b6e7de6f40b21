/* SPDX-License-Identifier: Apache-2.0
 * Memory pools: what a program sets of them is kept, and has no effect; what they hold is counted.
 * The lock of state.h is held. */
#ifndef IFL_STANDIN_POOL_H
#define IFL_STANDIN_POOL_H

#include "standin/chosen_gpu.h"

enum {
    IFL_POOL_ATTRIBUTES = 16,
    IFL_POOL_REUSES = 3,        /* the first attributes: ways of using freed memory again */
    IFL_POOL_READ_AND_WRITE = 3 /* cudaMemAccessFlagsProtReadWrite */
};

typedef struct ifl_pool {
    int gpu;          /* that it allocates on */
    int handles;      /* cudaMemAllocationHandleType: how it may be shared; 0: it may not */
    bool is_imported; /* another process's */
    uint64_t most;    /* bytes; 0: as many as there are */
    int access[IFL_MOST_GPUS]; /* of each GPU: what the program set, which holds nobody off */
    uint64_t attribute[IFL_POOL_ATTRIBUTES];
} ifl_pool;

/* A GPU's own, and the one that it allocates from; NULL without memory. */
ifl_pool *ifl_pool_default(int gpu);
ifl_pool *ifl_pool_current(int gpu);
/* NULL without memory. */
ifl_pool *ifl_pool_new(int gpu);
/* The pool behind a handle; NULL: there is none. */
ifl_pool *ifl_pool_of(const void *handle);
/* The allocation is the pool's from now on, and no other's; NULL: no pool's, as when it is freed. */
void ifl_pool_hold(ifl_pool *pool, uint64_t address, uint64_t bytes);
/* Whether so many bytes more fit. */
bool ifl_pool_has_room(const ifl_pool *pool, uint64_t bytes);
/* The pool that holds the allocation; NULL: none. */
ifl_pool *ifl_pool_holding(uint64_t address);
/* Makes it the GPU's current one; false where it is none, or another GPU's. */
bool ifl_pool_use(int gpu, const void *handle);
/* False where it is none, or a GPU's own. */
bool ifl_pool_destroy(const void *handle);

#endif
