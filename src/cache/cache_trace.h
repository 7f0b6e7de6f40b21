/* SPDX-License-Identifier: Apache-2.0
 * What the caches are to see of a run: a sample of the lines that requests touch, small enough
 * to keep and the same whatever the number of workers. Knows events; not caches nor GPUs.
 *
 * Lines are sampled by the hash of their number: all accesses to a sampled line are kept, none
 * to the others, so that a cache of as small a share of the capacity sees the same reuse (C.
 * Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015). */
#ifndef IFL_CACHE_CACHE_TRACE_H
#define IFL_CACHE_CACHE_TRACE_H

#include "base/vec.h"
#include "code/event.h"
#include "device/block_places.h"

/* One request's part in one line. */
typedef struct ifl_trace_record {
    uint64_t line;
    uint64_t warp; /* in the grid */
    /* Turns that the warp took before << IFL_TRACE_SEQUENCE_BITS, requests of the turn before. */
    uint32_t position;
    uint32_t words;  /* of the line, a bit each: that are loaded, or stored in full */
    uint8_t sectors; /* touched, a bit each; << 4: of them, stored in full */
    uint8_t kind; /* a plain ifl_access_kind, or of no line: IFL_TRACE_BARRIER, IFL_TRACE_FORGET */
    uint8_t path; /* ifl_path */
    uint8_t
        bytes; /* stored in each sector that is not stored in full; of a load: it brings the line */
} ifl_trace_record;

enum {
    IFL_TRACE_BARRIER = IFL_ACCESS_KINDS,
    IFL_TRACE_FORGET, /* the SM's L1 forgets what it holds */
    IFL_TRACE_SEQUENCE_BITS = 8
};

/* Records that a trace has at most, of the whole grid and of an SM. */
enum { IFL_TRACE_RECORDS = 1 << 18, IFL_TRACE_SM_RECORDS = 1 << 21 };

/* Which blocks a trace follows: all, or those that one SM gets. */
typedef struct ifl_trace_scope {
    ifl_placing placing; /* no SMs: all blocks */
    uint32_t chosen;
    /* A trace that grows too long keeps every second of its lines and no barriers, down to every
     * 2^most_share-th; then the first half of the grid, down to 2^least_blocks blocks; then the
     * first half of each warp's turns. */
    uint32_t most_share, least_blocks;
    /* 1 + an earlier scope of all blocks that keeps more lines: as long as that has not lost
     * more than every 2^most_share-th, its records are this one's too, and kept once. 0: none. */
    uint32_t like;
} ifl_trace_scope;

typedef struct ifl_trace_plan {
    const ifl_trace_scope *scopes; /* at most IFL_TRACE_SCOPES */
    size_t scope_count;
    uint32_t warps_per_block;
    uint64_t blocks;
} ifl_trace_plan;

enum { IFL_TRACE_SCOPES = 128 };

typedef struct ifl_trace {
    uint32_t level;
    uint32_t share;      /* every 2^share-th line is in it: */
    uint64_t most_place; /* those of no higher place */
    uint32_t block_bits; /* blocks below 2^block_bits are */
    uint32_t turn_bits;  /* turns below 2^turn_bits are */
    IFL_VEC(ifl_trace_record) records;
} ifl_trace;

/* Its settings are an ifl_trace_plan, its state an ifl_trace_state. */
extern const ifl_observer ifl_cache_observer;

typedef struct ifl_trace_state ifl_trace_state;
/* False where memory was short: the traces are not all. */
bool ifl_trace_is_whole(const ifl_trace_state *state);
const ifl_trace *ifl_trace_of(const ifl_trace_state *state, size_t scope);
/* That all warps took: a warp's share is how long it runs. */
uint64_t ifl_trace_turns(const ifl_trace_state *state);
/* It has not only fewer lines: of those that it has, some accesses are left out. */
bool ifl_trace_is_cut(const ifl_trace *trace);

#endif
