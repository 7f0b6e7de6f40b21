/* SPDX-License-Identifier: Apache-2.0
 * The instruction cache of one SM: when a line of code can be issued from. Knows the code's lines;
 * not warps. */
#ifndef IFL_TIME_TIME_FETCH_H
#define IFL_TIME_TIME_FETCH_H

#include "arch/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IFL_CODE_SITES = IFL_LINE_BYTES / IFL_INSTRUCTION_BYTES };

/* A line of code: when it is there. */
typedef struct ifl_code_line {
    uint64_t there; /* UINT64_MAX: it is not in the cache */
    bool was_asked_for;
} ifl_code_line;

/* An instruction cache: room for `most` lines, and `latency` until one comes that it lacks. */
typedef struct ifl_code_level {
    size_t most;
    uint64_t latency;
} ifl_code_level;

typedef struct ifl_code_cache {
    ifl_code_line
        *lines; /* NULL: all of the code fits, so that it stays from one launch to the next */
    size_t line_count, most, held;
    size_t *order;    /* a ring of `most` lines as they came, of which the first one goes */
    size_t oldest;    /* in the ring */
    uint64_t latency; /* until a line comes that it lacks */
    /* The first time, where another program's code was there before: `kept_latency` of as many lines
     * from the kernel's first one on as `cold` has, and its latency of all others; latency 0: it was
     * not. */
    ifl_code_level cold;
    uint64_t kept_latency;
    uint64_t
        late; /* by which the kernel's first line comes later then; 0 once it has been asked for */
    uint32_t ahead; /* lines that are asked for behind the one that is issued from */
} ifl_code_cache;

/* `touched` of the code's `lines` are issued from. Of a cache and the smaller one before it (most 0:
 * there is none) that one is followed which decides: the smaller one where the code fits the other.
 * `cold`: the kernel's first lines, which the larger one has then, and until others come. False without memory. */
typedef struct ifl_code_levels {
    ifl_code_level near, far, cold;
    uint64_t late; /* ifl_code_cache.late */
} ifl_code_levels;
bool ifl_code_cache_begin(ifl_code_cache *cache, size_t lines, size_t touched,
                          const ifl_code_levels *levels, uint32_t ahead);
void ifl_code_cache_free(ifl_code_cache *cache);

/* All that was asked for is there: the launches before are over. */
void ifl_code_cache_settle(ifl_code_cache *cache);

/* A warp comes to a line at `now`: when it can be issued from. */
uint64_t ifl_code_cache_fetch(ifl_code_cache *cache, size_t line, uint64_t now);

#endif
