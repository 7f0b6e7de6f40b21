/* SPDX-License-Identifier: Apache-2.0
 * A launch's traces played to the caches of one GPU, its blocks resident as the GPU would hold them.
 * Knows traces, rules and devices; not how many blocks an SM holds, which it is told. */
#ifndef IFL_OBSERVE_CACHE_REPLAY_H
#define IFL_OBSERVE_CACHE_REPLAY_H

#include "base/error.h"
#include "observe/cache_rules.h"
#include "observe/cache_trace.h"
#include "profile/cache_facts.h"

typedef struct ifl_cache_case {
    const ifl_device *device;
    const ifl_cache_rules *rules;
    uint64_t blocks; /* that ran */
    uint32_t warps_per_block, blocks_per_sm;
    uint64_t shared_bytes;    /* of a block */
    uint64_t turns;           /* of all warps */
    uint64_t load_sectors;    /* of the launch, global and local */
    uint64_t store_sectors, local_store_sectors, atomic_sectors;
    const ifl_trace *sm;   /* the blocks of one SM */
    const ifl_trace *grid; /* all blocks */
} ifl_cache_case;

/* Which SM a trace of this launch should follow: one of those that get blocks. */
ifl_trace_scope ifl_cache_scope(const ifl_device *device, uint64_t blocks);

/* Of the whole grid; and of so much of its beginning that the L2s of all these devices keep lines enough for sets to mean
 * something. */
ifl_trace_scope ifl_cache_grid_scope(void);
ifl_trace_scope ifl_cache_part_scope(const ifl_device *const *devices, size_t count);
/* Which of the two a device is to be played with. */
const ifl_trace *ifl_cache_grid_trace(const ifl_device *device, const ifl_trace *whole, const ifl_trace *part);

/* Fills all of *out but the texts. */
ifl_status ifl_cache_replay(const ifl_cache_case *of, ifl_cache_facts *out, ifl_error *error);

#endif
