/* SPDX-License-Identifier: Apache-2.0
 * What the order of a launched kernel's PTX says beside its counters: estimates of what the machine
 * code will do, for where that is not at hand. Plain data. */
#ifndef IFL_PROFILE_PROGRAM_FACTS_H
#define IFL_PROFILE_PROGRAM_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* Sums over all warps of the launch, as far as it ran. */
typedef struct ifl_program_facts {
    bool known;
    bool is_debug;      /* PTX of nvcc -G: not optimized. Set whether the rest is known or not */
    uint32_t registers; /* of a thread: values that live at once, 32 bits each */
    uint32_t
        bound_warps; /* that an SM must be able to hold: .maxntid and .minnctapersm; 0: no bound */
    double load_waits;   /* times that a warp waits for loads or atomics of global memory */
    double load_spread;  /* over those: the sum of log2 of how many loads each waits for */
    double shared_waits; /* the same of shared or local memory */
    double chain;        /* instructions that wait for each other's results */
    uint64_t
        buffer_bytes; /* of the launch's arguments: no more can come from DRAM for the first time */
} ifl_program_facts;

#endif
