/* SPDX-License-Identifier: Apache-2.0
 * A trace made by hand, for the tests of what is made of traces. */
#ifndef MADE_TRACE_H
#define MADE_TRACE_H

#include "cache/trace_index.h"

enum { MADE_MOST = 4096 };

typedef struct made {
    ifl_trace_record records[MADE_MOST];
    size_t count;
} made;

/* A request of one line; of several records of one position the request has as many lines. */
static inline void add(made *m, uint64_t warp, uint32_t turn, uint32_t sequence, uint8_t kind,
                       uint64_t line)
{
    m->records[m->count++] =
        (ifl_trace_record){.line = line,
                           .warp = warp,
                           .position = turn << IFL_TRACE_SEQUENCE_BITS | sequence,
                           .sectors = 1,
                           .kind = kind};
}

static inline bool build(ifl_trace_index *index, made *m, uint32_t warps_per_block,
                         bool is_numbered)
{
    const ifl_trace trace = {.records = {m->records, m->count, m->count}};
    return ifl_trace_index_build(index, &trace, warps_per_block, is_numbered);
}

#endif
