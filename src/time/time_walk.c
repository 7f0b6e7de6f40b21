/* SPDX-License-Identifier: Apache-2.0
 * See time_walk.h. */
#include "time/time_walk.h"

ifl_walk ifl_walk_of(const ifl_warp_trace *trace)
{
    const uint32_t *words = trace->words.at;
    return (ifl_walk){.at = words, .end = words ? words + trace->words.count : NULL};
}

static uint32_t words_of_request(const uint32_t *at)
{
    return 2 + ifl_request_unpack(at[1]).lines;
}

bool ifl_walk_next(ifl_walk *w)
{
    do {
        while (w->at < w->end && !(*w->at & IFL_WORD_STRETCH))
            w->at += words_of_request(w->at);
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
        w->at += words_of_request(w->at);
}
