/* SPDX-License-Identifier: Apache-2.0
 * The costs of instructions on one SM of a GPU: its rates in cycles, and for each site the pipe
 * that it uses and when its result is available. Knows sites and devices; not traces. */
#ifndef IFL_TIME_TIME_COSTS_H
#define IFL_TIME_TIME_COSTS_H

#include "arch/arch.h"
#include "code/site.h"
#include "device/device.h"
#include "profile/profile.h"

typedef struct ifl_sm_constants {
#define SM_CONSTANT(name, value, unit, doc) double name;
#include "time/sm_constant.def"
} ifl_sm_constants;
extern const ifl_sm_constants ifl_sm_constant;

/* What an SM does in a cycle of its own, and how long things take, in cycles. */
typedef struct ifl_sm_rates {
    ifl_arch arch; /* what no device or launch changes */
    double clock_hz;
    double sms; /* that have work */
    double l2_bytes_per_cycle, dram_bytes_per_cycle;
    double l2_bytes_of_all, dram_bytes_of_all; /* the same, of all SMs together */
    double dram_bytes_in_order;                /* the same, if none were at random places */
    double l1_latency, l2_latency, l2_far_latency, dram_latency;
    double dram_load;   /* at most, for what requests wait under load */
    double dram_spread; /* share of its latency, the mean of the part by which requests differ */
    double tag_lines;   /* that the tag stage takes a cycle */
    double data_beside_tags;
    double block_cycles, block_start_cycles, warp_start_cycles;
    double special_cycles;                   /* of a special register that warps read in turn */
    double fetch_cycles, first_fetch_cycles; /* of a warp's first instruction; in the first wave */
    double leave_cycles;                     /* until a store has left the SM */
    double indexed_cycles, indexed_first_cycles; /* of a load of constants, more for a line that its
                                                  * cache lacks, and that is asked for first */
    double constant_cycles;   /* a line of constants that the cache of operands lacks */
    double constants_turn;    /* of the cache behind, of a request of each SM that shares it */
    uint32_t l1_lines;        /* 0: no L1 */
    uint32_t code_lines;      /* of the instruction cache; 0: it is not followed */
    uint32_t near_code_lines; /* of the smaller one before it; 0: there is none */
    double near_code_cycles, code_cycles; /* until a line comes that the one and the other lacks */
    uint32_t kept_code_lines; /* that are there of a launch before, where others ran in between */
    bool
        is_first; /* the launch by itself, as Nsight Compute runs it: no others like it came before */
    double cold_code_cycles;     /* until others come; 0: none ran, all is there that fits */
    double late_code_cycles;     /* by which the kernel's first line comes later, in the mean */
    uint32_t code_ahead;         /* lines of code that are asked for before they are needed */
    double lines_in_flight;      /* at most */
    double atomic_bytes;         /* of the L2's bandwidth, a pass */
    double fetched_atomic_bytes; /* the same, where the old value is asked for */
    /* cycles of the slice of the L2 that does most atomics, for one request of each SM; of the one that
     * gets most stores of one sector */
    double atomic_turn, store_turn, past_turn;
    double l2_hit; /* share of the sectors that the L1 lacks */
    ifl_cache_phases phases;
    double l1_hit; /* share of the sectors loaded that are found there, at least */
    double
        /* of two lines of a request that the L1 lacks: how often one comes from DRAM where the
         * other does */
        dram_together;
    double
        joined; /* part of the L2's time that a sector takes, as reads of several SMs come as one */
    bool keeps_parts;    /* the L1 has what is loaded of sectors that were stored in part */
    double far_share;    /* of the lines that the L2 has, those in the half that the SM is not at */
    double store_pieces; /* turns of the L2 for a line stored */
    double write_turns, hidden_turns; /* of a piece of it; of reads that a line hides */
    double atomic_miss;               /* of the sectors of atomics, the share that the L2 lacks */
    double prefetch_miss; /* of the sectors that prefetches ask for, the share that the L2 lacks */
    double remote_again_cycles; /* of atomics, more for each further lane on a word */
    double remote_latency;
    /* of shared memory of other blocks: cycles a sector, by plain kind; and a line */
    double remote_cycles[IFL_ACCESS_KINDS], remote_line_cycles[IFL_ACCESS_KINDS];
    double end_turns;  /* the same, more for an end of a store within a sector */
    double part_turns; /* the same, more for a line of which several sectors are stored in part */
    double
        /* of the sectors loaded past the L1, those that are on their way for another request */
        shared_past;
    double dram_sector_bytes; /* that DRAM moves for a sector that the L2 lacks */
    double dram_store_share;  /* of the bytes stored, those that go on to DRAM */
    double line_sectors;      /* that a line takes of the L2 at least */
    double atomic_latency;    /* beside a load's */
    /* of memory of the host: a load; what a line takes the bus, and one of each SM for this SM. 0: it
     * is taken for the GPU's */
    double host_latency, host_line_of_all, host_line_cycles;
    double ahead_bytes; /* of the SM, that may be asked for before they are due */
    /* turns more for a piece that comes from DRAM, of one sector and of two */
    double lone_fetch, whole_fetch;
    ifl_matrix_costs matrix;
    double units[IFL_PIPES]; /* cycles that a warp instruction keeps its scheduler's pipe busy */
    double result[IFL_DELAYS]
                 [IFL_PIPES +
                  1]; /* cycles until a scoreboard is clear; of accesses, beside the caches */
} ifl_sm_rates;

/* Of one device, for one launch, of which the SM has so many blocks: its hits by the caches'
 * simulation where the profile has it. */
void ifl_sm_rates_find(const ifl_device *device, const ifl_profile *profile, double blocks,
                       ifl_sm_rates *out);

/* The SM's part of what all have together, where the work is that of so many SMs. */
void ifl_sm_rates_share(ifl_sm_rates *rates, double sms);

/* The turns for a line stored, of which so many pieces are written, where so many lines are for each
 * that the launch stores. */
void ifl_sm_rates_store(ifl_sm_rates *rates, double pieces, double lines);

#endif
