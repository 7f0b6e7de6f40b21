/* SPDX-License-Identifier: Apache-2.0
 * What the caches of a GPU do, by its compute capability.
 * Knows no device and no request. */
#ifndef IFL_ARCH_CACHE_RULES_H
#define IFL_ARCH_CACHE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ifl_l1_loads {
    IFL_L1_LOADS_NEVER,  /* global loads go past the L1 */
    IFL_L1_LOADS_ASKED,  /* only those with .ca look into it */
    IFL_L1_LOADS_ALWAYS, /* all that do not say otherwise */
} ifl_l1_loads;

enum { IFL_MAX_CARVEOUTS = 10 };

typedef struct ifl_cache_rules {
    double first, last; /* compute capabilities */
    const char *source;
    ifl_l1_loads loads;
    uint8_t fetched_sectors; /* by a load that misses the L1: 1, or 4 for the whole line */
    uint8_t dram_sectors;    /* that the L2 fetches together */
    bool stores_invalidate;  /* a store throws out the line that is there */
    bool stores_allocate;    /* a store leaves its sectors in the L1, beside sending them on */
    bool joins_loads;        /* a load past the L1 waits for what the one before it asked for */
    bool l2_halves;          /* each half serves half of the SMs and keeps its own copies */
    /* Reads of SMs of one GPC that become one before the L2, at most, and how many GPCs there are,
     * which blocks in a row fill one after the other. 0: none, or nobody knows. */
    uint32_t joined_reads, gpcs;
    bool l2_lines_of_sectors; /* a line of the L2 is a sector: no room is kept for its neighbours */
    bool local_is_written_back;  /* local stores stay in the L1 until their line has to go */
    uint32_t read_only_kib;      /* a cache of its own for ld.global.nc, 0: the L1 */
    uint32_t default_shared_kib; /* where nobody asks; 0: the least that is enough */
    uint32_t shared_kib[IFL_MAX_CARVEOUTS]; /* sizes that shared memory can have, ascending */
    /* Facts of arch/fact.def. */
    uint32_t l1_ways, l2_ways, l2_dirty_ways, l2_part_ways, queue_requests;
    uint32_t spare_shared_times, spare_shared_kib;
    uint32_t
        spare_blocks_kib; /* of shared memory, up to which there is room for as many blocks again */
    double l1_most_share;
} ifl_cache_rules;

/* False for a compute capability that none are known of. */
bool ifl_cache_rules_find(double compute_capability, ifl_cache_rules *out);

#endif
