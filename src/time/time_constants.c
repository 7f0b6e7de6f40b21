/* SPDX-License-Identifier: Apache-2.0
 * Two caches: 32 lines, and behind them one that keeps all that was asked for, by larger lines. An
 * H100, tools/gpu/cold_probe.cu (`operand`): 45 operands of 40 bytes from one to the next stay, of
 * 64 bytes none does; each then takes 59 cycles, of one warp or of 32 that wait for the same. */
#include "time/time_constants.h"

#include <stdbool.h>
#include <stddef.h>

enum { LINES_OF_WIDE = 4 };

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void ifl_constant_cache_begin(ifl_constant_cache *c, uint64_t near_cycles, uint64_t l2_cycles)
{
    *c = (ifl_constant_cache){.near_cycles = near_cycles, .l2_cycles = l2_cycles};
}

/* Parameters and what the launch gives stand in the cache behind when it begins: the first kernel
 * after others waits as long for them as one that is repeated (`parameter`). */
static bool is_near(ifl_constant_cache *c, uint16_t line)
{
    enum { BANK_LINES = 1 << 10 };
    const unsigned wide = (line - 1u) / LINES_OF_WIDE;
    const bool was = line <= BANK_LINES || c->near[wide / 8] >> wide % 8 & 1;
    c->near[wide / 8] |= (uint8_t)(1u << wide % 8);
    return was;
}

uint64_t ifl_constant_cache_take(ifl_constant_cache *c, uint16_t line, uint64_t now)
{
    size_t at = 0;
    for (size_t i = 0; i < IFL_CONSTANT_LINES && c->lines[at].line != line; i++)
        if (c->lines[i].line == line || c->lines[i].used < c->lines[at].used)
            at = i;
    if (c->lines[at].line != line) {
        c->free = latest(c->free, now) + c->near_cycles + (is_near(c, line) ? 0 : c->l2_cycles);
        c->lines[at].line = line;
        c->lines[at].there = c->free;
    }
    c->lines[at].used = ++c->uses;
    return latest(c->lines[at].there, now);
}
