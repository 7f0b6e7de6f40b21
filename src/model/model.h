/* SPDX-License-Identifier: Apache-2.0
 * The model: from a profile and a device, the time of a launch and what limits it. The steps, in
 * order: rates of the device, work of the profile, how long a block stays, the terms, the
 * composition. It never asks who filled the profile. */
#ifndef IFL_MODEL_MODEL_H
#define IFL_MODEL_MODEL_H

#include "arch/arch.h"
#include "arch/units.h"
#include "device/device.h"
#include "profile/profile.h"

/* constant.def as values: ifl_model_constants.overlap_power. */
typedef struct ifl_model_values {
#define CONSTANT(name, value, unit, doc) double name;
#include "model/constant.def"
#undef CONSTANT
} ifl_model_values;
extern const ifl_model_values ifl_model_constants;
/* Writes docs/facts.md. */
void ifl_facts_document(FILE *out);

/* ---- rates.c: what a device can do, in seconds; unmeasured figures by the rules of docs/model.md ------------- */

typedef struct ifl_rates {
    double sms, clock_hz;
    ifl_arch arch;        /* of its compute capability */
    double launch_s;      /* launch, first wave and last wave as CUDA events see them */
    double cold_launch_s; /* as Nsight Compute sees a launch by itself */
    double l1_latency_s, l2_latency_s, dram_latency_s;
    double l2_other_half_latency_s; /* of the other half of the L2, where there are two */
    double dram_bytes_per_s[2];     /* that can be reached: reading only, reading and writing */
    double dram_random_bytes_per_s; /* of sectors that each lie in another row */
    double l2_bytes_per_s;
    double l1_passes_per_s; /* of 128 bytes, all SMs */
    double shared_passes_per_s;
    bool l1_by_line;          /* a request takes a pass a line (before Volta) */
    double load_sector_bytes; /* smallest piece that a load moves */
    double issue_per_s;       /* warp instructions, all SMs */
    double fp32_per_s, fp64_per_s, int32_per_s, special_per_s,
        convert_per_s; /* warp instructions, all SMs; 0 unknown */
    /* operations on halves, and in products of matrices of halves, all SMs; 0 unknown */
    double fp16_flops_per_s;
    ifl_matrix_costs matrix;
} ifl_rates;

void ifl_rates_find(const ifl_device *device, ifl_rates *out);

/* ---- work.c: what the launch asks of it ------------------------------------------------------ */

typedef struct ifl_work {
    double blocks, warps_per_block;
    uint32_t cluster; /* blocks of one; 0 or 1: there are none */
    double instructions;
    double l1_passes, shared_passes, atomic_passes;
    bool atomics_in_step; /* they are of whole sectors, to which all blocks add: see find_passes */
    double part_passes;   /* of atomics, on the 512 bytes that get most of them; 0 unknown */
    double slice_passes;  /* of the busiest slice of the L2 (ifl_profile_atomic_passes) */
    double fp32, fp64, int32, special, convert; /* warp instructions */
    double tensor_cycles; /* of schedulers' tensor cores, for products of matrices; 0 unknown */
    double load_bytes;    /* asked of global memory by loads */
    double
        l2_bytes; /* that its bandwidth is used up for: pieces that are not whole count as such */
    double dram_bytes;    /* moved, while the launch runs or later */
    double left_bytes;    /* of these, those that stay in the L2 when the launch ends */
    double padding_bytes; /* that the DRAM could have moved in the time that lone sectors waste */
    double dram_low, dram_high;      /* bounds of dram_bytes */
    double l1_hit, l2_hit;           /* shares of the loads' bytes found there */
    double waits_in_l1, waits_in_l2; /* shares of the waits whose last load comes from there */
    double waits_in_other_half;      /* of waits_in_l2, the share for the other half of the L2 */
    double missed_lines;             /* of loads, that the L1 has not */
    double l1_lines;                 /* that an SM's L1 holds; 0 unknown */
    double loads_a_wait;             /* lines that a warp's wait for loads is for */
    double random;                   /* share of the loads' bytes at random places, 0..1 */
    bool writes, barriers;
    bool is_repeated; /* it follows others like it: ifl_run_options */
    bool waits_known;
    bool instructions_known, pipes_known; /* counted of machine code, not inferred from PTX */
    double waits, spread, shared_waits;   /* a warp */
    double cycles;                  /* of a warp: instructions that wait for those before them */
    bool caches_known, order_known; /* from counters or a simulation; from machine code */
    const ifl_block_work *each;     /* NULL: all blocks do the same */
} ifl_work;

ifl_status ifl_work_find(const ifl_profile *profile, const ifl_device *device,
                         const ifl_rates *rates, ifl_work *out, ifl_error *error);

/* Share of the instructions that so many memory requests are, with their addresses and tests. */
double ifl_overhead_share(const ifl_work *work, double requests);

/* ---- instruction_mix.c: instructions, and what they keep busy -------------------------------- */

void ifl_mix_find(const ifl_profile *profile, const ifl_rates *rates, ifl_work *out);

/* ---- schedule.c: where blocks run, and when they end, in stays of an average block --------------------------- */

typedef struct ifl_schedule {
    double even;       /* until a place stays empty */
    double end;        /* until the last block is done */
    double tail_share; /* of all work: what is done after `even` */
    double
        tail_sm_share; /* the same, if every SM had as much to do then as the one that has most */
} ifl_schedule;

/* Of a GPU whose SMs hold so many blocks: places for blocks, and SMs that have some. */
double ifl_places_of(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm);
double ifl_sms_used(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm);
/* Of so many blocks of the launch, those of the SM that gets most. */
double ifl_most_blocks(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm,
                       double blocks);
/* `blocks_per_sm` may be a fraction, for what-if. */
ifl_schedule ifl_schedule_find(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm);

/* ---- time.c ---------------------------------------------------------------------------------- */

typedef struct ifl_timing {
    double term[IFL_TERM_COUNT]; /* seconds; below 0: not known */
    double total;
    double residency; /* of a block that has the GPU to itself */
    double latency;   /* of an average load */
} ifl_timing;

/* `blocks_per_sm` may be a fraction, for what-if. */
void ifl_timing_find(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm,
                     ifl_timing *out);
/* Cycles of a block of so many warps beside its waits and instructions. */
double ifl_block_cycles(const ifl_rates *rates, double warps);
/* Bytes in flight an SM with which the DRAM's bandwidth is reached but for 1 - saturated. */
double ifl_bytes_needed_per_sm(const ifl_rates *rates, bool writes);

/* ---- range.c: how far off it may be ----------------------------------------------------------- */

/* Of the predicted time. */
typedef struct ifl_range {
    double low, high;
} ifl_range;

typedef struct ifl_range_row {
    const char *name;
    ifl_range range;
    const char *doc;
} ifl_range_row;

extern const ifl_range_row ifl_ranges[];
extern const size_t ifl_range_count;

/* `facts`: of the schedule; NULL: the formula's time stands. */
ifl_range ifl_range_of(const ifl_profile *profile, const ifl_device *device, const ifl_work *work,
                       const ifl_model *model, const ifl_time_facts *facts);

/* ---- model.c: all of it ---------------------------------------------------------------------- */

/* A launch on a device as the model sees it; advice asks what-ifs of the same rates and work. */
typedef struct ifl_modelled {
    ifl_rates rates;
    ifl_work work; /* refers to the profile */
    ifl_model model;
    double sm_s; /* of it, what an SM takes by its schedule; 0: the formula's time stands */
} ifl_modelled;

/* What a launch would be with something changed: for the formula, and for the schedule. */
typedef struct ifl_what_if_work {
    ifl_work work;
    double blocks_per_sm;
    ifl_change change;
} ifl_what_if_work;

/* Statuses of ifl_profile_model. */
ifl_status ifl_model_find(const ifl_profile *profile, const ifl_device *device, ifl_modelled *out,
                          ifl_error *error);
enum { IFL_WHAT_IFS = 64 }; /* at a time */

/* The time of the launch with each of what could be changed, in seconds. By the schedule where it was
 * followed and the change can be said in its terms, else by the formula's ratio. */
void ifl_model_seconds_with(const ifl_profile *profile, const ifl_device *device,
                            const ifl_modelled *modelled, const ifl_what_if_work *with,
                            size_t count, double *seconds);
/* Fills the levers, for which the model runs four more times. */
void ifl_model_find_levers(const ifl_profile *profile, const ifl_device *device,
                           ifl_modelled *modelled);

#endif
