/* SPDX-License-Identifier: Apache-2.0
 * Code that fits is there from the launch before, unless others ran in between. What does not fit
 * comes from the L2 each time, in the order of its lines, a few of which are asked for ahead (a
 * stream buffer: Huerta et al., MICRO 2025). */
#include "time/time_fetch.h"

#include <stdlib.h>

#define ABSENT UINT64_MAX

bool ifl_code_cache_begin(ifl_code_cache *c, size_t lines, size_t touched,
                          const ifl_code_levels *levels, uint32_t ahead)
{
    const bool is_near = levels->near.most && touched <= levels->far.most;
    const ifl_code_level level = is_near ? levels->near : levels->far;
    *c = (ifl_code_cache){.line_count = lines,
                          .most = level.most,
                          .latency = level.latency,
                          .cold = levels->cold,
                          .kept_latency = levels->near.latency,
                          .late = levels->late,
                          .ahead = ahead};
    if (!level.most || (touched <= level.most && !c->cold.latency))
        return true;
    c->lines = malloc(lines * sizeof *c->lines);
    c->order = calloc(level.most, sizeof *c->order);
    for (size_t i = 0; c->lines && i < lines; i++)
        c->lines[i] = (ifl_code_line){.there = ABSENT};
    return c->lines && c->order;
}

void ifl_code_cache_free(ifl_code_cache *c)
{
    free(c->lines);
    free(c->order);
    c->lines = NULL;
    c->order = NULL;
}

/* The line goes that came first: on an H100 loops half as large again as the smaller cache, or a
 * quarter larger than the other one, find nothing there (tools/gpu/code_probe.cu, 48, 160 KiB). */
static void make_room(ifl_code_cache *c)
{
    c->lines[c->order[c->oldest]].there = ABSENT;
    c->held--;
}

static uint64_t latency_of(ifl_code_cache *c, size_t line)
{
    const bool is_first = c->cold.latency && !c->lines[line].was_asked_for;
    if (!is_first)
        return c->latency;
    return line < c->cold.most ? c->kept_latency : c->cold.latency;
}

static void ask_for(ifl_code_cache *c, size_t line, uint64_t now)
{
    if (line >= c->line_count || c->lines[line].there != ABSENT)
        return;
    if (c->held >= c->most)
        make_room(c);
    c->lines[line] = (ifl_code_line){now + latency_of(c, line), true};
    c->held++;
    c->order[c->oldest] = line;
    c->oldest = (c->oldest + 1) % c->most;
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
    ask_for(c, line, now + c->late);
    c->late = 0;
    const uint64_t there = c->lines[line].there;
    for (size_t i = 1; i <= c->ahead; i++)
        ask_for(c, line + i, now);
    return there > now ? there : now;
}
