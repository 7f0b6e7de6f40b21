/* SPDX-License-Identifier: Apache-2.0
 * See time_walk.h. */
#include "time/time_walk.h"

ifl_walk ifl_walk_of(const ifl_warp_trace *trace)
{
    const uint32_t *words = trace->words.at;
    return (ifl_walk){.at = words, .end = words ? words + trace->words.count : NULL};
}

static bool is_gap(const uint32_t *stretch)
{
    return !(stretch[1] & IFL_STRETCH_SITES);
}

bool ifl_walk_take_of_gap(ifl_walk *w, uint32_t *site, ifl_time_lines *lines)
{
    for (; w->at < w->end; w->at += ifl_trace_words(w->at)) {
        if (*w->at & IFL_WORD_STRETCH && !is_gap(w->at))
            return false;
        if (*w->at & IFL_WORD_STRETCH) {
            w->in_gap = true;
            continue;
        }
        if (!w->in_gap)
            continue;
        *site = *w->at;
        *lines = (ifl_time_lines){w->at + 2, ifl_request_unpack(w->at[1]).lines};
        w->at += ifl_trace_words(w->at);
        return true;
    }
    return false;
}

bool ifl_walk_next(ifl_walk *w)
{
    w->in_gap = false;
    do {
        while (w->at < w->end && !(*w->at & IFL_WORD_STRETCH))
            w->at += ifl_trace_words(w->at);
        if (w->at >= w->end)
            return false;
        w->site = w->at[0] & ~IFL_WORD_STRETCH;
        w->stop = w->site + (w->at[1] & IFL_STRETCH_SITES);
        w->times = 1 + (w->at[1] >> IFL_STRETCH_BITS);
        w->at += 2;
    } while (w->site >= w->stop);
    return true;
}

bool ifl_walk_step(ifl_walk *w)
{
    return ++w->site < w->stop;
}

static bool is_of_site(const ifl_walk *w)
{
    return w->at < w->end && *w->at == w->site;
}

bool ifl_walk_has_request(const ifl_walk *walk)
{
    return is_of_site(walk);
}

bool ifl_walk_take_request(ifl_walk *w, ifl_request_cost *cost, const uint32_t **lines)
{
    if (!is_of_site(w))
        return false;
    *cost = ifl_request_unpack(w->at[1]);
    *lines = w->at + 2;
    w->at += 2 + cost->lines;
    return true;
}

void ifl_walk_pass_requests(ifl_walk *w)
{
    while (is_of_site(w))
        w->at += ifl_trace_words(w->at);
}
