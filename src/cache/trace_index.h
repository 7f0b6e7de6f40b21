/* SPDX-License-Identifier: Apache-2.0
 * A trace in the order of its warps, made once for all simulations of it: its blocks, their warps,
 * the requests of the warps, and the lines that these touch, numbered. Knows traces; not caches nor
 * GPUs. */
#ifndef IFL_CACHE_TRACE_INDEX_H
#define IFL_CACHE_TRACE_INDEX_H

#include "base/room.h"
#include "cache/cache_trace.h"

/* Where time is counted in rounds (grid_order.h), a turn takes so long, and the requests of one
 * follow each other so. */
enum { IFL_TURN_TIME = 256, IFL_REQUEST_TIME = 3 };

/* A request's part in one line. */
typedef struct ifl_touch {
    uint64_t line;
    uint32_t number;   /* of the line: less than line_count, the same for the same line */
    uint8_t sectors;   /* a bit each; << 4: of a store's, those that it fills */
    uint8_t bytes;     /* stored in each sector that is not filled; of a load: it brings the line */
    uint8_t kind : 2;  /* ifl_access_kind */
    uint8_t path : 3;  /* ifl_path */
    uint8_t joins : 1; /* asks for what the request before waits for: see ifl_trace_index_build */
    uint8_t home : 1;  /* ifl_line_home */
    uint8_t reused : 1; /* of a line whose contents an L1 can give to some load: has_reuse */
    uint8_t group;      /* ifl_line_group */
} ifl_touch;

/* Of a warp, in its program's order. Its touches end where those of the next request begin. */
typedef struct ifl_trace_request {
    uint32_t touch : 28;
    uint32_t forgets : 1;    /* the L1 forgets what it holds; nothing but that */
    uint32_t ends_turn : 1;  /* the last before the warp waits, comes to a barrier or ends */
    uint32_t is_barrier : 1; /* nothing but that */
    uint32_t reuses : 1;     /* one of its touches is of a line that is reused */
    uint32_t position;       /* as of ifl_trace_record */
} ifl_trace_request;

typedef struct ifl_trace_warp {
    uint64_t number; /* in the grid */
    uint32_t request;
} ifl_trace_warp;

typedef struct ifl_trace_block {
    uint64_t number; /* in the grid */
    uint32_t warp;
} ifl_trace_block;

/* Each array has one element more, at which the last one's parts end. Blocks and warps that have
 * no records are not there. */
typedef struct ifl_trace_index {
    ifl_touch *touches;
    uint32_t
        *words; /* of each touch, as of ifl_trace_record; NULL: no store fills part of a sector */
    ifl_trace_request *requests;
    ifl_trace_warp *warps;
    ifl_trace_block *blocks;
    uint64_t *lines; /* by number */
    uint32_t touch_count, request_count, warp_count, block_count, line_count;
    uint32_t warps_per_block;
    uint32_t level, share; /* of the trace */
    bool is_cut;
    bool has_local; /* some touches are of local memory */
    /* A line is not reused where no load or atomic comes after another touch of it, in whatever
     * order warps run: it is read at most once, then stored to by the same warp, or only stored
     * to. No L1 changes what becomes of its touches. */
    bool has_reuse;
    /* Of lines of which some request takes one sector: the share of their sectors that none takes.
     * 0 where it is not known: of a trace that is cut, or without numbers. */
    double thin_unused;
    uint64_t load_sectors; /* of its loads, and of all */
    uint64_t sectors;
    ifl_room word_room, touch_room, request_room, warp_room, block_room, line_room, spare[2];
} ifl_trace_index;

/* A zeroed index is an empty one; one that was built can be built anew, and keeps its memory for
 * that. A load past the L1 that asks for what the warp's request before it is waiting for joins
 * it, every second of a row (docs/caches.md). False without memory; freed by
 * ifl_trace_index_free in every case. `is_numbered`: for an L2; else has_reuse is found, but not
 * of which lines, and they have no numbers. */
bool ifl_trace_index_build(ifl_trace_index *index, const ifl_trace *trace, uint32_t warps_per_block,
                           bool is_numbered);
void ifl_trace_index_free(ifl_trace_index *index);

#endif
