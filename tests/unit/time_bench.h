/* SPDX-License-Identifier: Apache-2.0
 * Traces made by hand, and one SM that follows them. For tests that have included cmocka. */
#ifndef TIME_BENCH_H
#define TIME_BENCH_H

#include "time/time_sm.h"

#include "quick_rates.h"

#include <string.h>

enum { SITES = 64, MOST_WARPS = 64, WORDS = 8192 };

static ifl_site all_sites[SITES];
static ifl_sites sites = {.at = all_sites, .count = SITES};

static inline ifl_site plain(uint8_t stall)
{
    return (ifl_site){
        .name = "IADD3",
        .pipe = IFL_PIPES,
        .access = {.kind = IFL_ACCESS_KINDS},
        .control = {.known = true, .stall = stall, .writes = IFL_NO_BOARD, .reads = IFL_NO_BOARD}};
}

static inline ifl_site memory(uint8_t kind, uint8_t space, uint8_t board)
{
    ifl_site site = plain(1);
    site.pipe = IFL_PIPE_LSU;
    site.access =
        (ifl_site_access){.kind = kind, .space = space, .path = IFL_PATH_PLAIN, .bytes = 4};
    site.control.writes = board;
    site.control.delay = space == IFL_SPACE_SHARED ? IFL_DELAY_SHARED : IFL_DELAY_L1;
    return site;
}

static inline ifl_site waits_for(uint8_t board)
{
    ifl_site site = plain(1);
    site.control.waits = (uint8_t)(1u << board);
    return site;
}

/* All warps of all blocks have the same trace. */
typedef struct bench {
    uint32_t words[WORDS];
    size_t count;
    ifl_warp_trace warps[MOST_WARPS];
    ifl_block_trace blocks[MOST_WARPS];
    const ifl_block_trace *list[MOST_WARPS];
    ifl_site_stalls stalls[SITES];
    ifl_sm_outcome out;
} bench;

static inline void run_sites(bench *b, uint32_t first, uint32_t count)
{
    b->words[b->count++] = IFL_WORD_STRETCH | first;
    b->words[b->count++] = count;
}

static inline void ask(bench *b, uint32_t site, ifl_request_cost cost, uint64_t first_line)
{
    b->words[b->count++] = site;
    b->words[b->count++] = ifl_request_pack(cost);
    for (uint32_t i = 0; i < cost.lines; i++)
        b->words[b->count++] = ifl_line_pack(first_line + i, 0xf);
}

/* Where nobody asks why warps stall, schedulers look at fewer of them: all else is the same. */
static inline void expect_same_uncounted(const ifl_sm_case *of, const ifl_sm_outcome *counted)
{
    ifl_sm_outcome out = {0};
    assert_true(ifl_sm_run(of, &out));
    out.sites = counted->sites;
    assert_memory_equal(&out, counted, sizeof out);
}

/* Warps of an odd number have so many words of the trace. */
static inline double follow_uneven(bench *b, const ifl_sm_rates *rates, uint32_t warps,
                                   uint32_t blocks, uint32_t per_sm, size_t odd_words)
{
    for (uint32_t w = 0; w < warps; w++) {
        b->warps[w] = (ifl_warp_trace){0};
        b->warps[w].words.at = b->words;
        b->warps[w].words.count = w % 2 ? odd_words : b->count;
    }
    for (uint32_t i = 0; i < blocks; i++) {
        b->blocks[i] = (ifl_block_trace){.number = i, .warps = b->warps};
        b->list[i] = &b->blocks[i];
    }
    memset(b->stalls, 0, sizeof b->stalls);
    b->out = (ifl_sm_outcome){.sites = b->stalls};
    const ifl_sm_case of = {&sites, NULL, rates, b->list, blocks, warps, per_sm, 0};
    assert_true(ifl_sm_run(&of, &b->out));
    expect_same_uncounted(&of, &b->out);
    return b->out.cycles;
}

static inline double follow(bench *b, const ifl_sm_rates *rates, uint32_t warps, uint32_t blocks,
                            uint32_t per_sm)
{
    return follow_uneven(b, rates, warps, blocks, per_sm, b->count);
}

static inline void set_all(uint32_t count, ifl_site site)
{
    for (uint32_t i = 0; i < count; i++)
        all_sites[i] = site;
}

#endif
