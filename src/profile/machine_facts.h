/* SPDX-License-Identifier: Apache-2.0
 * What the machine code of a launched kernel says beside its counters. Plain data: the decoder of
 * machine code fills it in, reports read it. Texts live in the profile's arena. */
#ifndef IFL_PROFILE_MACHINE_FACTS_H
#define IFL_PROFILE_MACHINE_FACTS_H

#include "base/vec.h"
#include <stdint.h>

typedef struct ifl_machine_opcode {
    const char *name;
    uint32_t count, useful; /* instructions; of them, those that the source asks for */
} ifl_machine_opcode;

typedef struct ifl_machine_loop {
    const char *file; /* "" where the lines are not known */
    uint32_t first_line, last_line;
    uint32_t depth;
    bool is_innermost;
    uint32_t instructions, useful; /* a trip */
    uint32_t exposed_latencies, register_reuses;
    uint32_t bytes_in_flight; /* of a warp: the most at a wait of the loop's own; 0: no wait */
    uint32_t spills;          /* accesses */
} ifl_machine_loop;

/* What its warps wait for, as the control words say; sums over all warps of the launch. */
typedef struct ifl_machine_order {
    bool known;
    double load_waits; /* times that a warp waits for loads of global memory, one after the other */
    double load_spread;  /* over those: the sum of log2 of how many loads each waits for */
    double shared_waits; /* the same of shared or local memory */
    double cycles;       /* from issue to issue of a warp that has the SM to itself */
} ifl_machine_order;

/* An instruction of the kernel, as the listing writes it, and its source line. */
typedef struct ifl_listed_instruction {
    const char *text;   /* "@P0 LDG.E R4, desc[UR4][R2.64]" */
    const char *file;   /* NULL: not known */
    const char *source; /* "" where the file is not at hand */
    uint32_t line, address;
    uint64_t issued;
} ifl_listed_instruction;

/* All but `order` is the machine code's as it stands in the file, whatever the launch did; how often
 * it ran is the profile's counter `instructions`. */
typedef struct ifl_machine_facts {
    bool known;       /* else all of this is nothing */
    bool ran;         /* this code ran: the profile's counters are of it, and exact */
    bool assembled;   /* made of the PTX for this run, as a driver compiles it */
    bool is_debug;    /* compiled for a debugger, without optimizations */
    const char *file; /* that held the machine code, without folders */
    uint32_t sm; /* that it was compiled for: 90. Not always that of the PTX, nor of a device */
    uint32_t
        registers; /* a thread, as ptxas -v says (REGCOUNT); allocation rounds up. 0: not known */
    uint64_t
        static_shared_bytes; /* a block, without what the system reserves (1 KiB from sm_90 on) */
    uint32_t stack_bytes;    /* a thread: the frame of the kernel itself */
    uint32_t spill_load_bytes, spill_store_bytes; /* a thread, each instruction once */
    uint32_t spilled_at_once_bytes; /* of the stack, the most that holds values at one time */
    uint32_t
        instructions; /* that some path from the entry reaches; not executed, each counted once */
    uint32_t unknown; /* that could not be decoded */
    uint32_t useful;  /* of `instructions`, those that the source asks for: docs/sass.md */
    /* Of a warp of 32 lanes: the most bytes of loads (global, generic, local, textures, copies to
     * shared memory; not shared or constant) that it has outstanding at any instruction that waits
     * for loads, all lanes active. One warp's share in Little's law, before occupancy: for naive
     * saxpy 2 x 32 x 4 = 256. 0: it never waits for a load. */
    uint32_t bytes_in_flight;
    ifl_machine_order order;             /* where it ran */
    IFL_VEC(ifl_machine_opcode) opcodes; /* most frequent first */
    IFL_VEC(ifl_machine_loop) loops;
    IFL_VEC(ifl_listed_instruction)
    listing; /* of those that can be reached; empty unless asked for */
} ifl_machine_facts;

#endif
