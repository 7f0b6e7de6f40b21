/* SPDX-License-Identifier: Apache-2.0
 * The order in which all SMs make their requests: each in its own order at the same pace, or the
 * whole grid in rounds. Knows the requests of a trace and where blocks run; not caches.
 *
 * Steps are ifl_keyed: the time, index: the request, owner: its block of the index. */
#ifndef IFL_CACHE_GRID_ORDER_H
#define IFL_CACHE_GRID_ORDER_H

#include "cache/keyed.h"
#include "cache/sm_order.h"
#include "cache/trace_index.h"
#include "device/block_places.h"

typedef struct ifl_grid_shape {
    uint32_t blocks_per_sm;
    ifl_placing placing;
    uint32_t
        l2_sm_groups; /* of SMs in a row, by turns at the one half of the L2 and at the other */
    uint64_t blocks;  /* that ran */
    uint64_t turns;   /* of all warps */
} ifl_grid_shape;

typedef struct ifl_grid_order {
    const ifl_trace_index *index;
    ifl_grid_shape shape;
    uint64_t duration;     /* of a block, in the units of sm_order.h */
    uint32_t *blocks;      /* of the index, by SM, then in the grid's order: from first_block on */
    uint32_t *sm_of;       /* by block of the index */
    uint32_t *first_block; /* by SM, and of one more */
    ifl_keyed *by_sm;      /* the steps by SM, those of an SM in its order from first_step on */
    uint32_t *first_step;  /* by SM, and of one more */
    ifl_keyed *all;        /* the steps of all SMs together */
    uint32_t step_count;
    uint64_t end;     /* the time when all is over */
    uint32_t fullest; /* of all SMs, as of ifl_sm_order */
    ifl_room block_room, sm_room, first_block_room, by_sm_room, first_step_room, all_room, spare;
    ifl_sm_space space;
} ifl_grid_order;

/* Deals the blocks out to SMs. A zeroed order may be begun, and one that was begun again, with
 * the memory that it has. False without memory; freed by ifl_grid_order_free in every case. */
bool ifl_grid_order_begin(ifl_grid_order *order, const ifl_trace_index *index,
                          const ifl_grid_shape *shape);
void ifl_grid_order_free(ifl_grid_order *order);

/* Each SM in its own order, with a queue of so many requests: fills by_sm. Then, where they are
 * asked for, all: a request of each SM in turn. `blocks_per_sm` may be less than the shape's. */
bool ifl_grid_order_of_sms(ifl_grid_order *order, uint32_t blocks_per_sm, uint32_t queue_length);
bool ifl_grid_order_join(ifl_grid_order *order);

/* The whole grid in rounds: waves of blocks, each resident warp takes a turn a round. Fills all,
 * and by_sm too, or with only those steps of which some line is reused. */
bool ifl_grid_order_of_rounds(ifl_grid_order *order, bool only_reused);

/* For where no order changes anything: fills all, as the index has them. */
bool ifl_grid_order_of_any(ifl_grid_order *order);

/* When a block's time is over, and what it left in local memory means nothing any more. `block`:
 * of the index. */
uint64_t ifl_grid_order_block_end(const ifl_grid_order *order, uint32_t block);

#endif
