/* SPDX-License-Identifier: Apache-2.0
 * The polynomials of the special function unit (mufu.c), one for each segment of a function's
 * range. */
#ifndef IFL_EXEC_MUFU_TABLE_H
#define IFL_EXEC_MUFU_TABLE_H

/* c0 + c1 x + c2 S(x), in 2^-17 of a unit in the last place: x the position in the segment, an
 * integer of 17 bits, S(x) the 15 upper bits of its square */
typedef struct ifl_segment {
    _Alignas(32) double c0; /* integers, all three; 32 bytes: a lane finds its segment by a shift */
    double c1, c2;
} ifl_segment;

extern const ifl_segment ifl_segments_of_rcp[128], ifl_segments_of_rsq[128],
    ifl_segments_of_sqrt[128], ifl_segments_of_ex2[64], ifl_segments_of_lg2[64],
    ifl_segments_of_sin[64], ifl_segments_of_tanh[51];

#endif
