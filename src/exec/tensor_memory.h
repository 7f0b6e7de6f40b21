/* SPDX-License-Identifier: Apache-2.0
 * Tensor memory of a block, and what is begun on it and done when somebody waits: products, copies
 * and shifts in their order, up to a commit whose barrier is waited for; stores of a warp, until it
 * waits for its own. */
#ifndef IFL_EXEC_TENSOR_MEMORY_H
#define IFL_EXEC_TENSOR_MEMORY_H

#include "base/vec.h"
#include "code/tensor.h"
#include "exec/warp.h"

/* A store that has begun: the values of all lanes, register by register. */
typedef struct ifl_tensor_store {
    const ifl_code *code;
    ifl_warp *warp;
    uint32_t address;
    uint32_t *values;
} ifl_tensor_store;

struct ifl_tensor_memory {
    uint32_t words[IFL_TENSOR_COLUMNS][IFL_TENSOR_LANES];
    uint32_t taken;  /* bit u: unit u */
    uint32_t starts; /* of them, where columns that were taken together begin (PTX) */
    uint32_t units[IFL_TENSOR_UNITS]; /* how many, by where they begin */
    bool is_relinquished;
    uint32_t refusals;       /* in a row: takes that found no room */
    IFL_VEC(uint32_t) pairs; /* units that the other block of the pair has taken for this one */
    const ifl_code *taker;   /* who took columns last */
    ifl_warp *taking_warp;
    IFL_VEC(ifl_tensor_store) stores;
    IFL_VEC(struct ifl_tensor_task) tasks; /* tensor_queue.c */
};

/* The block's, made when it is first used; NULL: a fault, there is no memory. */
struct ifl_tensor_memory *ifl_tensor_memory_of(ifl_warp *warp, const ifl_code *code,
                                               ifl_block *block);
/* The other block of a pair: its rank differs in the last bit. NULL after a fault. */
ifl_block *ifl_tensor_peer(ifl_warp *warp, const ifl_code *code);
/* Have all columns from one on been taken? false after a fault that names `what`. */
bool ifl_tensor_has(ifl_warp *warp, const ifl_code *code, const ifl_block *block, uint32_t lane,
                    uint32_t first, uint32_t columns, const char *what);
/* What the system leaves in shared memory for code that takes columns in pairs. */
void ifl_tensor_start(ifl_block *block, const ifl_grid *grid);
/* What is left of a block that has ended: columns that it has not given back are a fault. */
void ifl_tensor_end(ifl_block *block);
void ifl_tensor_free(ifl_block *block);

static inline uint32_t ifl_tensor_address_of(const ifl_tensor_address *at, const char *frame,
                                             uint32_t lane)
{
    return ifl_lane_u32(frame, at->slot, lane) + (uint32_t)at->offset;
}

#endif
