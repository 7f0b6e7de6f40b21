/* SPDX-License-Identifier: Apache-2.0
 * The order in which the warps of an SM make their requests. Knows the requests of a trace; not
 * caches, nor latencies.
 *
 * An SM holds some blocks; one that is done makes room for the next. Its warps are spread over
 * sub-cores, which ask in turn; each keeps to a warp until that one has to wait, then takes the
 * oldest that is ready. Requests pass through a queue of limited length: a warp goes on when the
 * last request that it waits for has left it, and from a barrier when all of its block are
 * there. docs/caches.md says how near to an H200 that is. */
#ifndef IFL_CACHE_SM_ORDER_H
#define IFL_CACHE_SM_ORDER_H

#include "cache/keyed.h"
#include "cache/trace_index.h"

typedef struct ifl_sm_work {
    const ifl_trace_index *index;
    const uint32_t *blocks; /* those of the index that the SM gets, in the grid's order */
    uint32_t block_count;
    uint32_t blocks_per_sm; /* that it holds */
    uint32_t queue_length;
} ifl_sm_work;

typedef struct ifl_sm_order {
    uint32_t count;   /* of steps */
    uint64_t end;     /* the time after the last turn */
    uint32_t fullest; /* most requests in the queue: with any longer one the order is the same */
} ifl_sm_order;

/* Memory for finding an order; zeroed at first, and then again and again the same. */
typedef struct ifl_sm_space {
    ifl_room warps, blocks, queue, ready;
} ifl_sm_space;

/* Writes a step for each request but barriers: its time, index: the request, owner: its block of
 * the index. False without memory. */
bool ifl_sm_order_find(ifl_sm_space *space, const ifl_sm_work *work, ifl_keyed *steps,
                       ifl_sm_order *out);
void ifl_sm_space_free(ifl_sm_space *space);

#endif
