/* SPDX-License-Identifier: Apache-2.0
 * What the warps of a few blocks did, in the order of issue: their basic blocks, and what each
 * request costs whoever serves it. Which blocks are kept does not depend on how many workers ran.
 * Knows events; not GPUs nor time.
 *
 * A warp's trace is a row of 32-bit words:
 *
 *     stretch   IFL_WORD_STRETCH | first site, number of sites and, above them, how many times more each is issued (only
 *               where the trace of a launch was changed: time_change.h)
 *     request   site, its packed cost, and a word a line: its number's lower 28 bits (lines 32 GiB apart look alike), and
 *               its sectors, a bit each
 *     object    site, its packed cost (passes: ifl_object_step), and three words: the object, arrivals, copies. Of an
 *               arrival its own; of a wait those that there were when it was over, since the block began; at a barrier
 *               that some warps of the block have, the threads that come and those that it is for
 *
 * Requests follow the stretch that they are of. Those of a gap, which is not followed, come behind a stretch of no
 * sites: they say which lines the warp asked for there, and not what it did. */
#ifndef IFL_TIME_TIME_TRACE_H
#define IFL_TIME_TIME_TRACE_H

#include "base/vec.h"
#include "code/event.h"
#include "device/block_places.h"

#define IFL_WORD_STRETCH (UINT32_C(1) << 31)
enum { IFL_STRETCH_BITS = 24 }; /* for the number of sites */
#define IFL_STRETCH_SITES ((UINT32_C(1) << IFL_STRETCH_BITS) - 1)

/* What serves a request. */
typedef enum ifl_request_class {
    IFL_REQUEST_GLOBAL,
    IFL_REQUEST_SHARED,
    IFL_REQUEST_CONSTANT,
    IFL_REQUEST_OBJECT,  /* a step with a barrier object */
    IFL_REQUEST_REMOTE,  /* shared memory of other blocks: `passes` are sectors */
    IFL_REQUEST_PARTING, /* none: its lanes part into `passes` groups more than one */
    IFL_REQUEST_NESTED   /* none: a lane launches a kernel */
} ifl_request_class;

/* Of a store whose lanes write consecutive bytes, how many of its two ends lie within a sector; of
 * others whether they write their sectors in part. */
typedef enum ifl_store_ends {
    IFL_STORE_WHOLE,
    IFL_STORE_ONE_END,
    IFL_STORE_TWO_ENDS,
    IFL_STORE_IN_PARTS
} ifl_store_ends;

/* Of requests to other blocks, how many lines take longer than their sectors do. */
typedef enum ifl_remote_lines {
    IFL_REMOTE_FEW,
    IFL_REMOTE_EACH, /* one for each sector */
    IFL_REMOTE_HALF, /* as many as half of the sectors */
    IFL_REMOTE_FOURTH
} ifl_remote_lines;

/* The second word of a request. */
typedef struct ifl_request_cost {
    uint32_t passes; /* data wavefronts; of constants, different addresses */
    /* Of atomics: the most lanes on one address; of remote ones, lanes beyond the first on a word. */
    uint32_t serial;
    uint32_t ends; /* of stores: ifl_store_ends; of remote requests: ifl_remote_lines */
    uint32_t lines;
    ifl_request_class served;
    bool of_host; /* its lines are the host's */
} ifl_request_cost;

uint32_t ifl_request_pack(ifl_request_cost cost);
ifl_request_cost ifl_request_unpack(uint32_t word);

uint32_t ifl_line_pack(uint64_t line, uint32_t sectors);

/* Lines, as in a trace. */
typedef struct ifl_time_lines {
    const uint32_t *words;
    uint32_t count;
} ifl_time_lines;

/* How many words a stretch or a request takes. */
size_t ifl_trace_words(const uint32_t *at);

/* Instructions of a warp that follow each other, and are kept. */
typedef struct ifl_trace_window {
    uint64_t number;
    size_t words; /* before it */
} ifl_trace_window;

typedef struct ifl_gap_filter ifl_gap_filter;

typedef struct ifl_warp_trace {
    IFL_VEC(uint32_t) words;
    IFL_VEC(ifl_trace_window) windows;
    ifl_gap_filter *filter; /* NULL: it has had no gap */
    uint64_t instructions;  /* that it issued */
    uint64_t kept;          /* of them, those in the words */
    uint64_t window;        /* that it is in */
    uint64_t met;           /* barriers that it has passed */
    uint64_t began;         /* instructions until the last of them */
    size_t meetings;        /* of the block, that it has passed */
    bool meets;             /* it comes to a barrier */
    bool is_out;            /* of what is kept, at present */
    bool is_cut;            /* nothing more is kept */
    bool in_gap;            /* what is kept next belongs to a gap, which has begun */
} ifl_warp_trace;

/* Of a warp's words, those up to the last stretch or request that ends within `most` of them, gaps
 * not counted; *kept: the instructions in them. */
size_t ifl_warp_trace_within(const ifl_warp_trace *warp, size_t most, uint64_t *kept);

/* What has happened to a barrier object. */
typedef struct ifl_object_count {
    uint32_t object, arrivals, copies;
} ifl_object_count;

enum { IFL_OBJECT_WORDS = 3 };

typedef struct ifl_block_trace {
    uint64_t number; /* in the grid */
    IFL_VEC(ifl_object_count) objects;
    ifl_warp_trace *warps;
    uint64_t instructions, met; /* of all its warps; barriers that one of them has passed */
    IFL_VEC(uint64_t) meetings; /* of these, those behind which all its warps begin a window */
    uint64_t began;             /* instructions until the last of them */
} ifl_block_trace;

/* The blocks that one SM of a GPU gets. */
typedef struct ifl_time_scope {
    ifl_placing placing;
    uint32_t chosen;
    uint32_t least;  /* blocks that are kept in every case */
    uint64_t blocks; /* that the SM gets */
} ifl_time_scope;

enum {
    IFL_TIME_SCOPES = 16,
    IFL_TIME_WORDS = 1 << 25 /* of all traces together, at most */,
    IFL_TIME_SAMPLES = 32,
    IFL_TIME_WINDOW = 1 << 15, /* instructions of all warps of a block */
    IFL_TIME_WINDOWS = 16,     /* of a block that are kept, at most, where more can be left out */
    IFL_TIME_PHASE = 4         /* windows of a warp behind a barrier that are not parted */
};

typedef struct ifl_time_plan {
    ifl_time_scope scopes[IFL_TIME_SCOPES];
    size_t scope_count;
    uint32_t warps_per_block;
    uint64_t blocks;
    uint64_t most_words;                /* 0: IFL_TIME_WORDS */
    uint64_t samples[IFL_TIME_SAMPLES]; /* blocks all over the grid; UINT64_MAX: none */
    uint32_t window;                    /* instructions of a warp in one; 0: there are none */
    uint32_t most_window_level;         /* each halves how many are kept */
} ifl_time_plan;

/* Chooses the samples among the plan's blocks. */
void ifl_time_plan_samples(ifl_time_plan *plan, const uint32_t grid[3]);
/* The middle one of the SMs that get the most blocks. */
ifl_time_scope ifl_time_scope_of(const ifl_placing *placing, uint32_t least);

/* Its settings are an ifl_time_plan, its state an ifl_time_traces. */
extern const ifl_observer ifl_time_observer;

typedef struct ifl_time_traces ifl_time_traces;
/* False where memory was short: the traces are not all. */
bool ifl_time_traces_are_whole(const ifl_time_traces *traces);
/* The blocks of a scope in the grid's order: fills `to` with at most `most`; returns how many there
 * are. Where the grid has no more blocks than the GPU has SMs it is one, the longest of all that
 * were kept. */
size_t ifl_time_traces_of(const ifl_time_traces *traces, size_t scope, const ifl_block_trace **to,
                          size_t most);

/* Likewise all that were kept, of any scope and the samples. */
size_t ifl_time_traces_all(const ifl_time_traces *traces, const ifl_block_trace **to, size_t most);
uint64_t ifl_block_trace_instructions(const ifl_block_trace *block, uint32_t warps);

#endif
