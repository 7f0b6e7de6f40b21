/* SPDX-License-Identifier: Apache-2.0
 * Simulates a launch's traces in the caches of one GPU, with as many blocks resident as the GPU
 * would hold. Knows traces, rules and devices; the number of blocks per SM is given to it. */
#ifndef IFL_CACHE_CACHE_REPLAY_H
#define IFL_CACHE_CACHE_REPLAY_H

#include "arch/cache_rules.h"
#include "base/error.h"
#include "cache/cache_play.h"
#include "device/device.h"

typedef struct ifl_cache_case {
    const ifl_device *device;
    const ifl_cache_rules *rules;
    uint64_t blocks; /* that ran */
    uint32_t blocks_per_sm;
    ifl_placing placing;
    uint64_t l1_bytes; /* of an SM */
    uint64_t turns;    /* of all warps */
    /* Of the launch, those of textures and copies too. Of the loads, copies pass by the L1. */
    uint64_t load_sectors, copied_sectors;
    uint64_t store_sectors, local_store_sectors, atomic_sectors;
    const ifl_trace_index *sm;   /* the blocks of one SM; not needed where the other is whole */
    const ifl_trace_index *grid; /* all blocks */
} ifl_cache_case;

/* Requests that pass through an SM at once: the estimate's, and others that say how much it
 * hangs on that. */
enum { IFL_CACHE_QUEUES = 3 };

/* Sectors of the whole launch. */
typedef struct ifl_cache_outcome {
    double value[IFL_CACHE_TALLIES],
        spread[IFL_CACHE_TALLIES]; /* spread: two standard deviations */
} ifl_cache_outcome;

typedef struct ifl_cache_outcomes {
    ifl_cache_outcome of_queue[IFL_CACHE_QUEUES]; /* the estimate first */
    ifl_turns l1_turns, l2_turns; /* of the estimate: as the L1 saw them, as the L2 did */
    ifl_cache_phases phases;
    double half_l1_misses; /* with half as many blocks an SM; where there is one only, 0 */
} ifl_cache_outcomes;

/* Memory of replays: zeroed at first, then used again and again. */
typedef struct ifl_cache_space {
    ifl_grid_order order;
    ifl_cache_player player;
    ifl_l1 l1;
    ifl_l2 l2;
} ifl_cache_space;

void ifl_cache_space_free(ifl_cache_space *space);

/* Nothing was left out of the trace of the grid, and no other is needed. */
bool ifl_cache_is_whole(const ifl_cache_case *of);
/* How often the grid's trace, of the lines that it has, would have to come for all of their
 * accesses. */
double ifl_cache_cut(const ifl_cache_case *of);

ifl_status ifl_cache_replay(const ifl_cache_case *of, ifl_cache_space *space,
                            ifl_cache_outcomes *out, ifl_error *error);

#endif
