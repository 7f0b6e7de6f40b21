/* SPDX-License-Identifier: Apache-2.0
 * Estimates, with bounds, of what the caches of one GPU would do in a launch: plain data of the
 * profile, filled if a run is given devices. Texts live in the profile's arena. Knows nothing of
 * how the figures were computed. */
#ifndef IFL_PROFILE_CACHE_FACTS_H
#define IFL_PROFILE_CACHE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* Of the whole launch. `low` and `high` hold the value: what the sample leaves open, and what the
 * order of the warps, which the hardware chooses, can change. */
typedef struct ifl_cache_estimate {
    double value, low, high;
} ifl_cache_estimate;

/* One row for each figure: ESTIMATE(name, unit, what it is). The caches start empty, as under
 * Nsight Compute's --cache-control all. */
#define IFL_CACHE_ESTIMATES(ESTIMATE)                                                              \
    ESTIMATE(l1_load_sectors, "sectors", "loads, those of textures too, as the L1 sees them")      \
    ESTIMATE(l1_load_hits, "sectors", "of them, found in the L1")                                  \
    ESTIMATE(l2_read_sectors, "sectors", "loads that ask the L2")                                  \
    ESTIMATE(l2_write_sectors, "sectors", "stores that go to the L2")                              \
    ESTIMATE(l2_atomic_sectors, "sectors", "atomics that go to the L2")                            \
    ESTIMATE(l2_read_hits, "sectors", "of the loads that ask the L2, found there")                 \
    ESTIMATE(l2_hits, "sectors", "found in the L2, stores and atomics too")                        \
    ESTIMATE(dram_read_bytes, "bytes", "read from DRAM")                                           \
    ESTIMATE(dram_write_bytes, "bytes", "written to DRAM before the launch ends")                  \
    ESTIMATE(dirty_bytes, "bytes", "still in the L2 when the launch ends, to be written later")

/* Parts of a launch, in the order of its time. */
enum { IFL_CACHE_PHASES = 16 };

/* Shares of the lines that loads ask the L2 for in a phase. */
typedef struct ifl_cache_phases {
    bool known;
    double far[IFL_CACHE_PHASES];   /* come from DRAM */
    double late[IFL_CACHE_PHASES];  /* come from DRAM, or are on their way from there for others */
    double other[IFL_CACHE_PHASES]; /* come from the half of the L2 that the SM is not at */
    double far_mean, late_mean, other_mean; /* of the whole launch */
} ifl_cache_phases;

typedef struct ifl_cache_facts {
    const char *device; /* the device's id, "h200" */
#define FIELD(name, unit, doc) ifl_cache_estimate name;
    IFL_CACHE_ESTIMATES(FIELD)
#undef FIELD
    double copied_sectors;     /* that copies of the TMA load, past the L1 */
    double prefetched_sectors; /* that prefetches ask the L2 for, past the L1 */
    double prefetch_misses;    /* of them, not found there */
    double atomic_misses;      /* sectors of atomics, not found there */
    /* single sectors that the DRAM writes or fills before the launch ends: each takes it as long as
     * two, so that this many more sectors would fit into its time */
    double dram_padding;
    double half_l1_load_hits; /* with half of blocks_per_sm; 0: none, or not asked (one block) */
    double given_sectors;     /* that loads find in the L1 as stores in part left them */
    double joined_sectors;    /* that loads ask the L2 for together with another SM */
    double l2_read_pieces;    /* of 64 bytes, of which loads ask the L2 for one sector or both */
    double l2_lone_misses;    /* of them, not found there and asked for one sector only */
    /* A turn: what a warp asks for between two waits for data. */
    double turns_in_l1;     /* share of the turns with loads whose loads were all found in the L1 */
    double lines_from_dram; /* share of the lines that the L2 is asked for which come from DRAM */
    double from_dram_together; /* of two of a turn: how often one is where the other is */
    /* of lines of which some request takes one sector: the share of their sectors that no request of
     * the launch takes; 0: not known, or none */
    double thin_unused;
    ifl_cache_phases phases;
    uint64_t l1_bytes;      /* of an SM: what shared memory leaves */
    uint64_t l2_bytes;      /* of the GPU */
    uint32_t blocks_per_sm; /* that take turns on an SM */
    uint32_t sampled_sms;   /* whose blocks were followed through the L1; 0: the launch has none */
    double l1_share;        /* of the launch's load sectors that were followed so */
    double l2_share;        /* of the lines of the whole launch that were followed */
    double l2_part;         /* of their accesses, the first of the launch */
    const char *sample;     /* the same in words */
} ifl_cache_facts;

#endif
