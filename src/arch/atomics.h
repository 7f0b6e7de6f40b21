/* SPDX-License-Identifier: Apache-2.0
 * How the L2 does atomics, and stores of parts of lines. Measured on an H200 (tools/gpu/atomic_probe.cu, CUDA 13.0): a warp's
 * request on one word takes 0.72 ns with one lane and as much more for each further one, and lanes
 * on other words of the sector cost nothing; words 512 bytes apart do not wait for each other. An
 * H100 (tools/gpu/scatter_probe.cu) takes as long, and 1.76 ns for an addition of floats on one
 * sector, of one lane too. No other GPU was measured, so that these hold for all.
 *
 * The L2 has slices; 256 bytes that follow each other are in one of them, and it does what is asked of it one
 * after the other. Measured (adds_probe, H200): additions to words at random, each in a line of its own, take
 * 0.86 ns on 256 bytes, 0.43 on 512, 0.063 on 8 KiB, 0.030 on 32 KiB, 0.015 on 128 KiB and 0.0098 on 2 MiB, where each slice
 * does one in 0.9 ns: on 1 KiB as if two slices did them, on 8 KiB 14, on 2 MiB 90. */
#ifndef IFL_ARCH_ATOMICS_H
#define IFL_ARCH_ATOMICS_H

#include "arch/units.h"

enum {
    IFL_ATOMIC_PART_BYTES = 4 * IFL_LINE_BYTES, /* whose atomics one part of the L2 does in turn */
    IFL_ATOMIC_SECTOR_PASSES = 2,               /* of a request, for each sector */
    IFL_ATOMIC_LANE_PASSES = 2, /* for each further lane of a request on the same address */
    /* of floating-point numbers: for which each lane on the same address keeps its sector */
    IFL_ATOMIC_FLOAT_LANE_PASSES = 5,
    IFL_ATOMIC_LONE_HALF_PASSES =
        1, /* more for a sector alone in its 256 bytes, among others of the request */
    IFL_ATOMIC_ROW_LANES = 4,       /* that have a sector of a row: consecutive words */
    IFL_ATOMIC_ROW_HALF_PASSES = 3, /* of a sector of such a request: 0.59 ns */
    /* of a lane of a request of floats for one word: 1.75 ns where each slice serves few SMs at a time, 0.85 where many */
    IFL_ATOMIC_FLOAT_BURST_HALF_PASSES = 7,
    IFL_L2_SLICES = 96,                  /* an H200's and an H100's; of others not known */
    IFL_HALF_SLICES = IFL_L2_SLICES / 2, /* at each half of the L2 */
    IFL_SLICE_SECTORS = 8,               /* that follow each other in one slice */
    /* Of a line, up to which a slice takes a store as long as one of a single sector. Measured (hot_store_probe, H200, all
     * blocks to the same line): 1.3 ns for a word, 0.9 for a sector, 1.3 for two, 1.9 for three, 2.5 for four, which is
     * what the L2 writes in all. */
    IFL_SLIGHT_SECTORS = 2,
    /* Of a line that is loaded past the L1, the sectors that a slice takes as long for as for one.
     * Measured (hot_load_probe, H200, words of one line): 0.28 ns for one of its sectors, 0.56 for four. */
    IFL_LEAST_LOAD_TURNS = 2,
    IFL_SLIGHT_LINES = 8 /* of a request, at most: more are spread over the slices */
};

#endif
