/* SPDX-License-Identifier: Apache-2.0
 * How far two runs of a kernel may differ: what its instructions leave open, and by how much. */
#ifndef IFL_SESSION_EXACTNESS_H
#define IFL_SESSION_EXACTNESS_H

#include "code/code.h"

typedef struct ifl_exactness {
    /* Differences that its approximations explain, by the bits of a floating-point result, of the
     * largest value in the buffer: a rounding is one of operands, which may cancel, so that no
     * bound holds of the result itself. 0: none. */
    double tolerance_16, tolerance_32, tolerance_64;
    bool is_open;   /* the result depends on order, time or place: any difference may be right */
    char rule[200]; /* "bit for bit", or what differs and why */
} ifl_exactness;

void ifl_exactness_find(const ifl_sites *sites, ifl_exactness *out);

#endif
