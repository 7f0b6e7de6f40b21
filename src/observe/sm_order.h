/* SPDX-License-Identifier: Apache-2.0
 * The order in which the warps of an SM make their requests. Knows the records of a trace; not caches, nor time.
 *
 * An SM holds some blocks; one that is done makes room for the next. Its warps are spread over sub-cores, which ask in
 * turn; each keeps to a warp until that one has to wait, then takes the oldest that is ready. Requests pass through a
 * queue of limited length: a warp goes on when the last request that it waits for has left it, and from a barrier when
 * all of its block are there. docs/caches.md says how near to an H200 that is. */
#ifndef IFL_OBSERVE_SM_ORDER_H
#define IFL_OBSERVE_SM_ORDER_H

#include "observe/cache_trace.h"

enum { IFL_SUBCORES = 4 };

/* A record, and what records are to be ordered by. */
typedef struct ifl_keyed {
    uint64_t key;
    const ifl_trace_record *record;
} ifl_keyed;

/* By key; those of the same key stay as they are. False without memory. */
bool ifl_keyed_sort(ifl_keyed *at, size_t count);

typedef struct ifl_sm_warp {
    uint32_t next, end; /* records */
    uint32_t block;
    bool waits; /* at a barrier */
} ifl_sm_warp;

typedef struct ifl_sm_block {
    uint32_t first, end; /* warps */
    uint32_t live, waiting;
} ifl_sm_block;

typedef struct ifl_sm_subcore {
    uint32_t *ready; /* warps */
    uint32_t ready_count;
    uint32_t current; /* + 1: the warp that it keeps to, 0 for none */
} ifl_sm_subcore;

typedef struct ifl_sm_passing {
    uint32_t warp;
    bool is_last; /* that the warp waits for */
} ifl_sm_passing;

typedef struct ifl_sm_order {
    const ifl_keyed *records;
    ifl_sm_warp *warps;
    ifl_sm_block *blocks;
    uint32_t warp_count, block_count, started;
    ifl_sm_subcore subcores[IFL_SUBCORES];
    uint32_t asks; /* the sub-core that is to ask next */
    ifl_sm_passing *queue;
    uint32_t queue_length, queue_first, queue_count;
    uint32_t slots; /* warps that the SM holds */
    uint64_t turns; /* that have been taken */
} ifl_sm_order;

/* `records`, of one SM, are ordered by warp and stay the caller's; the SM holds `blocks` blocks. False without memory;
 * freed by ifl_sm_order_free in every case. */
bool ifl_sm_order_init(ifl_sm_order *order, const ifl_keyed *records, size_t count,
                       uint32_t warps_per_block, uint32_t blocks, uint32_t queue_length);
void ifl_sm_order_free(ifl_sm_order *order);

/* The records of the next request, *count of them, each of another line; NULL when all are made. */
const ifl_keyed *ifl_sm_order_next(ifl_sm_order *order, uint32_t *count);

#endif
