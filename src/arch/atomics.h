/* SPDX-License-Identifier: Apache-2.0
 * How the L2 does atomics. Measured on an H200 (tools/gpu/atomic_probe.cu, CUDA 13.0): a warp's
 * request on one word takes 0.72 ns with one lane and as much more for each further one, and lanes
 * on other words of the sector cost nothing; words 512 bytes apart do not wait for each other. An
 * H100 (tools/gpu/scatter_probe.cu) takes as long, and 1.76 ns for an addition of floats on one
 * sector, of one lane too. No other GPU was measured, so that these hold for all. */
#ifndef IFL_ARCH_ATOMICS_H
#define IFL_ARCH_ATOMICS_H

#include "arch/units.h"

enum {
    IFL_ATOMIC_PART_BYTES = 4 * IFL_LINE_BYTES, /* whose atomics one part of the L2 does in turn */
    IFL_ATOMIC_SECTOR_PASSES = 2,               /* of a request, for each sector */
    IFL_ATOMIC_LANE_PASSES = 2, /* for each further lane of a request on the same address */
    /* of floating-point numbers: for which each lane on the same address keeps its sector */
    IFL_ATOMIC_FLOAT_LANE_PASSES = 5
};

#endif
