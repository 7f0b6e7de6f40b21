/* SPDX-License-Identifier: Apache-2.0
 * The caches of constants of one SM, of those that instructions name as operands and of those that
 * loads ask for: when a line of a constant bank can be read. Knows lines; not warps. */
#ifndef IFL_TIME_TIME_CONSTANTS_H
#define IFL_TIME_TIME_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    IFL_CONSTANT_MOST_LINES = 64,
    IFL_CONSTANT_WIDE_LINES = 8192 /* of all banks */
};

/* The cache behind, which the SMs of a GPC share. */
typedef struct ifl_constants_behind {
    uint64_t there[IFL_CONSTANT_WIDE_LINES]; /* since when it has them; 0: not asked for yet */
    double free;                             /* it answers one request after the other */
    double turn;           /* of this SM's and of those of the others, which ask for the same */
    uint64_t first_cycles; /* later that a line comes which it lacks */
} ifl_constants_behind;

typedef struct ifl_constant_cache {
    struct {
        uint16_t line; /* ifl_control.constant; 0: none */
        uint64_t there, used;
    } lines[IFL_CONSTANT_MOST_LINES];
    uint32_t line_count;
    uint64_t free; /* lines come one after the other */
    uint64_t uses;
    ifl_constants_behind *behind;
    uint64_t near_cycles; /* until a line comes from there */
    bool side_by_side;    /* lines from there do not wait for each other */
} ifl_constant_cache;

/* At the start of a launch. */
void ifl_constant_cache_begin(ifl_constant_cache *cache, ifl_constants_behind *behind,
                              uint32_t lines, uint64_t near_cycles, bool side_by_side);

/* A warp comes to an operand at `now`: when it can be read. */
uint64_t ifl_constant_cache_take(ifl_constant_cache *cache, uint16_t line, uint64_t now);

#endif
