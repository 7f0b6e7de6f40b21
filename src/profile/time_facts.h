/* SPDX-License-Identifier: Apache-2.0
 * The result of following the warps of one SM for a launch on one GPU: its time, and why warps
 * stalled, as plain data of the profile. Knows nothing of how it was computed. */
#ifndef IFL_PROFILE_TIME_FACTS_H
#define IFL_PROFILE_TIME_FACTS_H

#include <stddef.h>
#include <stdint.h>

typedef enum ifl_stall {
#define STALL(name, what) IFL_STALL_##name,
#include "profile/stall.def"
    IFL_STALLS
} ifl_stall;

/* "long_scoreboard"; what it waits for. NULL past the end. */
const char *ifl_stall_name(ifl_stall stall);
const char *ifl_stall_text(ifl_stall stall);

/* Of one instruction: how long warps stood before it, in cycles of all warps that were followed. */
typedef struct ifl_site_stalls {
    uint64_t issued;
    uint64_t cycles[IFL_STALLS];
} ifl_site_stalls;

/* An instruction before which warps stand; or all those of a source line, named by the one that has
 * most. */
typedef struct ifl_stalled_site {
    const char *op, *function;
    const char *file; /* NULL: not known */
    const char *text; /* of a line: the source, "" where it is not at hand; NULL: not asked for */
    uint32_t line, address; /* of the source; in the function's code */
    uint8_t space, kind;    /* ifl_space, ifl_access_kind */
    uint64_t issued;
    double share;              /* of all cycles that warps stood still */
    double stalls[IFL_STALLS]; /* its part of ifl_time_facts.stalls */
} ifl_stalled_site;

typedef struct ifl_time_facts {
    const char *device;        /* the device's id, "h200" */
    double cycles;             /* of an SM, from the first block's start until the last one ends */
    double seconds;            /* the same, without what a launch costs by itself */
    double instructions;       /* of a warp, that were followed */
    double block_instructions; /* of a followed block, on average: others may have more to do */
    double
        /* 0: blocks are alike, or too many to tell. Else how much longer the SM that ends last
         * takes than this */
        longer;
    double issue_active; /* share of a scheduler's cycles in which it issues */
    double stalls
        /* warps in this state, on average, for each cycle in which a scheduler issues */
        [IFL_STALLS];
    double l1_sectors, l1_hits, l2_sectors, dram_sectors; /* of loads, that were followed */
    double
        host_share;  /* of its cycles, those in which the bus to the host's memory is busy for it */
    uint64_t blocks; /* that were followed */
    double
        /* of what the SM does, the share that was followed: the rest goes on at its pace */
        followed;
    double
        /* of the time, by how much what was not followed may be off: the two halves of what was differ so */
        sampling_error;
    /* With a thousandth of the standing still and more, the worst first: instructions, and source
     * lines, among which an instruction without a line stands for itself. */
    ifl_stalled_site *sites, *lines;
    size_t site_count, line_count;
} ifl_time_facts;

#endif
