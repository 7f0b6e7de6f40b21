/* SPDX-License-Identifier: Apache-2.0
 * See time_window.h. */
#include "time/time_window.h"

#include <stdlib.h>
#include <string.h>

void ifl_time_plan_windows(ifl_time_plan *plan)
{
    enum { LEVELS = 5, LEAST = 256 };
    const uint32_t each = IFL_TIME_WINDOW / plan->warps_per_block;
    plan->window = each > LEAST ? each : LEAST;
    plan->most_window_level = 0;
    while (plan->most_window_level < LEVELS &&
           plan->blocks <= 1u << (LEVELS - plan->most_window_level - 1))
        plan->most_window_level++;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Each level's are among those of the level before, and neither the first nor the last of their
 * group: what a kernel does once is done there. */
static bool is_kept(uint64_t number, uint32_t level)
{
    const uint64_t mask = (UINT64_C(1) << level) - 1;
    return (number & mask) == (UINT64_C(0x5555555555555555) & mask);
}

/* The first one behind a barrier: what the block has issued until there is the same in whatever order its warps run. */
static bool open_barrier(ifl_block_trace *block)
{
    block->met++;
    if (block->instructions - block->began < IFL_TIME_WINDOW)
        return true;
    block->began = block->instructions;
    return ifl_vec_push(&block->meetings, block->met);
}

static bool pass_barrier(ifl_block_trace *block, ifl_warp_trace *warp)
{
    warp->met++;
    if (warp->met > block->met && !open_barrier(block))
        return false;
    warp->began = warp->instructions;
    warp->meetings +=
        warp->meetings < block->meetings.count && block->meetings.at[warp->meetings] == warp->met;
    return true;
}

bool ifl_window_go_on(ifl_block_trace *block, ifl_warp_trace *warp, bool meets)
{
    const bool done = !warp->meets || pass_barrier(block, warp);
    warp->meets = meets;
    return done;
}

/* What a warp does for long without a barrier are windows of its own; the barrier behind is of the one of all. */
static uint64_t window_of(const ifl_warp_trace *warp, uint32_t size, uint32_t whole)
{
    const uint64_t own = warp->instructions - warp->began;
    return warp->meetings + (own < whole || warp->meets ? 0 : 1 + (own - whole) / size);
}

bool ifl_window_enter(ifl_warp_trace *warp, uint32_t size, uint32_t whole, uint32_t level,
                      bool *lost)
{
    warp->window = window_of(warp, size, whole);
    if (!is_kept(warp->window, level))
        return false;
    const size_t count = warp->windows.count;
    if (count && warp->windows.at[count - 1].number == warp->window && !warp->in_gap)
        return true;
    const ifl_trace_window window = {warp->window, warp->words.count};
    warp->in_gap = false;
    *lost |= !ifl_vec_push(&warp->windows, window);
    return !*lost;
}

/* ---- gaps ------------------------------------------------------------------------------------ */

enum { SITES = 32, MOST_WORDS = 2 + 64, MOST_SAME = 32 };

/* What sites have asked for last, by the lower bits of their numbers. */
struct ifl_gap_filter {
    struct {
        uint32_t words[MOST_WORDS];
        uint32_t count, same; /* how often since it was kept */
    } at[SITES];
};

/* Now and then what is the same is kept: it has been used. */
static bool is_same(ifl_gap_filter *filter, const uint32_t *request, size_t count)
{
    const size_t i = request[0] % SITES;
    if (filter->at[i].count == count && filter->at[i].same++ < MOST_SAME &&
        memcmp(filter->at[i].words, request, count * sizeof *request) == 0)
        return true;
    filter->at[i].count = count <= MOST_WORDS ? (uint32_t)count : 0;
    filter->at[i].same = 0;
    memcpy(filter->at[i].words, request, filter->at[i].count * sizeof *request);
    return false;
}

static void forget(ifl_gap_filter *filter)
{
    for (size_t i = 0; i < SITES; i++)
        filter->at[i].count = 0;
}

/* Of no sites. */
static const uint32_t gap_stretch[2] = {IFL_WORD_STRETCH, 0};

static bool append(ifl_warp_trace *warp, const uint32_t *words, size_t count)
{
    if (!ifl_vec_reserve(&warp->words, count))
        return false;
    memmove(warp->words.at + warp->words.count, words, count * sizeof *words); /* also its own */
    warp->words.count += count;
    return true;
}

bool ifl_gap_add(ifl_warp_trace *warp, const uint32_t *request)
{
    const size_t count = ifl_trace_words(request);
    if (!warp->filter && !(warp->filter = calloc(1, sizeof *warp->filter)))
        return false;
    if (!warp->in_gap) {
        forget(warp->filter);
        if (!append(warp, gap_stretch, 2))
            return false;
        warp->in_gap = true;
    }
    return is_same(warp->filter, request, count) || append(warp, request, count);
}

/* ---- thinning -------------------------------------------------------------------------------- */

/* Moves the words of a trace to itself, where they need no more room. */
typedef struct thinner {
    ifl_warp_trace *warp;
    uint32_t level;
    bool gaps;
    bool keeps; /* it is in a window that is kept */
    size_t window, left;
} thinner;

static void enter(thinner *t, size_t at)
{
    ifl_warp_trace *warp = t->warp;
    if (t->window == warp->windows.count || warp->windows.at[t->window].words != at)
        return;
    const uint64_t number = warp->windows.at[t->window++].number;
    t->keeps = is_kept(number, t->level);
    if (!t->keeps)
        return;
    warp->windows.at[t->left++] = (ifl_trace_window){number, warp->words.count};
    warp->in_gap = false;
}

static void keep(thinner *t, const uint32_t *at, size_t count)
{
    ifl_warp_trace *warp = t->warp;
    warp->kept += *at & IFL_WORD_STRETCH ? at[1] : 0;
    memmove(warp->words.at + warp->words.count, at, count * sizeof *at);
    warp->words.count += count;
}

static bool thin_item(thinner *t, const uint32_t *at, size_t count)
{
    const bool is_stretch = *at & IFL_WORD_STRETCH;
    t->keeps &= !is_stretch || at[1];
    if (t->keeps)
        keep(t, at, count);
    return t->keeps || is_stretch || !t->gaps ||
           ifl_request_unpack(at[1]).served != IFL_REQUEST_GLOBAL || ifl_gap_add(t->warp, at);
}

bool ifl_window_thin(ifl_warp_trace *warp, uint32_t level, bool gaps)
{
    thinner t = {.warp = warp, .level = level, .gaps = gaps};
    const size_t count = warp->words.count;
    bool done = true;
    warp->words.count = warp->kept = 0;
    warp->in_gap = false;
    for (size_t at = 0; done && at < count;) {
        const size_t words = ifl_trace_words(warp->words.at + at);
        enter(&t, at);
        done = thin_item(&t, warp->words.at + at, words);
        at += words;
    }
    warp->windows.count = t.left;
    warp->is_out |= !is_kept(warp->window, level);
    return done;
}
