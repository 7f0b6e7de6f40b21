/* SPDX-License-Identifier: Apache-2.0
 * How the L2 does atomics. Fitted on an H200 (2^21 lanes on 1 to 1,024 words, integers and floats);
 * no other GPU was measured, so that these hold for all. */
#ifndef IFL_ARCH_ATOMICS_H
#define IFL_ARCH_ATOMICS_H

#include "arch/units.h"

enum {
    IFL_ATOMIC_PART_BYTES = 8 * IFL_LINE_BYTES, /* whose atomics one part of the L2 does in turn */
    IFL_ATOMIC_LANE_PASSES = 2,      /* for each further lane of a request on the same address */
    IFL_ATOMIC_FLOAT_LANE_PASSES = 5 /* the same of floating-point numbers */
};

#endif
