/* SPDX-License-Identifier: Apache-2.0
 * Two caches: 32 lines, and behind them one that keeps all that was asked for, by larger lines. An
 * H100, tools/gpu/cold_probe.cu (`operand`): 45 operands of 40 bytes from one to the next stay, of
 * 64 bytes none does; each then takes 59 cycles, of one warp or of 32 that wait for the same. An H200,
 * `indexed`: of loads 24 lines of 64 bytes stay and 48 do not, which then take 70 cycles more each, and
 * 256 bytes that are asked for the first time 650. */
#include "time/time_constants.h"

#include "arch/units.h"

#include <stddef.h>

enum { LINES_OF_WIDE = IFL_CONSTANT_WIDE_LINE_BYTES / IFL_CONSTANT_LINE_BYTES };

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void ifl_constant_cache_begin(ifl_constant_cache *c, ifl_constants_behind *behind, uint32_t lines,
                              uint64_t near_cycles, bool side_by_side)
{
    *c = (ifl_constant_cache){.line_count =
                                  lines < IFL_CONSTANT_MOST_LINES ? lines : IFL_CONSTANT_MOST_LINES,
                              .behind = behind,
                              .near_cycles = near_cycles,
                              .side_by_side = side_by_side};
}

/* Parameters and what the launch gives stand in the cache behind when it begins: the first kernel
 * after others waits as long for them as one that is repeated (`parameter`). */
static bool is_given(uint16_t line)
{
    enum { BANK_LINES = IFL_CONSTANT_BANK_BYTES / IFL_CONSTANT_LINE_BYTES };
    return line <= BANK_LINES;
}

/* When the cache behind takes a request. */
static uint64_t queue(ifl_constants_behind *b, uint64_t now)
{
    const double begins = b->free > (double)now ? b->free : (double)now;
    b->free = begins + b->turn;
    return (uint64_t)begins;
}

/* When it comes. */
static uint64_t fetch(ifl_constant_cache *c, uint16_t line, uint64_t now)
{
    uint64_t *there = &c->behind->there[(line - 1u) / LINES_OF_WIDE % IFL_CONSTANT_WIDE_LINES];
    const bool near = is_given(line) || *there;
    if (near && c->side_by_side)
        return latest(now + c->near_cycles, *there);
    c->free = queue(c->behind, latest(c->free, now)) + c->near_cycles;
    if (!near)
        *there = c->free += c->behind->first_cycles;
    return c->free = latest(c->free, *there);
}

uint64_t ifl_constant_cache_take(ifl_constant_cache *c, uint16_t line, uint64_t now)
{
    size_t at = 0;
    for (size_t i = 0; i < c->line_count && c->lines[at].line != line; i++)
        if (c->lines[i].line == line || c->lines[i].used < c->lines[at].used)
            at = i;
    if (c->lines[at].line != line) {
        c->lines[at].line = line;
        c->lines[at].there = fetch(c, line, now);
    }
    c->lines[at].used = ++c->uses;
    return latest(c->lines[at].there, now);
}
