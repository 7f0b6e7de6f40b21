/* SPDX-License-Identifier: Apache-2.0
 * Code that fits is there from the launch before. What does not fit comes from the L2 each time, in
 * the order of its lines, a few of which are asked for ahead (a stream buffer: Huerta et al., MICRO
 * 2025). */
#include "time/time_fetch.h"

#include <stdlib.h>

#define ABSENT UINT64_MAX

bool ifl_code_cache_begin(ifl_code_cache *c, size_t lines, size_t touched, size_t most,
                          uint64_t latency, uint32_t ahead)
{
    *c = (ifl_code_cache){.line_count = lines, .most = most, .latency = latency, .ahead = ahead};
    if (!most || touched <= most)
        return true;
    c->lines = malloc(lines * sizeof *c->lines);
    for (size_t i = 0; c->lines && i < lines; i++)
        c->lines[i] = (ifl_code_line){.there = ABSENT};
    return c->lines != NULL;
}

void ifl_code_cache_free(ifl_code_cache *c)
{
    free(c->lines);
    c->lines = NULL;
}

/* Any line goes: of code that is gone through again and again and is little larger than the cache,
 * a part stays. */
static void make_room(ifl_code_cache *c)
{
    do
        c->drawn = (c->drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407));
    while (c->lines[(c->drawn >> 33) % c->line_count].there == ABSENT);
    c->lines[(c->drawn >> 33) % c->line_count].there = ABSENT;
    c->held--;
}

static void ask_for(ifl_code_cache *c, size_t line, uint64_t now)
{
    if (line >= c->line_count || c->lines[line].there != ABSENT)
        return;
    if (c->held >= c->most)
        make_room(c);
    c->lines[line] = (ifl_code_line){.there = now + c->latency};
    c->held++;
}

void ifl_code_cache_settle(ifl_code_cache *c)
{
    for (size_t i = 0; c->lines && i < c->line_count; i++)
        if (c->lines[i].there != ABSENT)
            c->lines[i].there = 0;
}

uint64_t ifl_code_cache_fetch(ifl_code_cache *c, size_t line, uint64_t now)
{
    if (!c->lines || line >= c->line_count)
        return now;
    ask_for(c, line, now);
    const uint64_t there = c->lines[line].there;
    for (size_t i = 1; i <= c->ahead; i++)
        ask_for(c, line + i, now);
    return there > now ? there : now;
}
