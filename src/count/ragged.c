/* SPDX-License-Identifier: Apache-2.0
 * See ragged.h. A history has a fixed place by block and warp, as in walk.c. */
#include "count/ragged.h"

#include <stdlib.h>

ifl_ragged *ifl_ragged_history(ifl_ragged *walks[IFL_RAGGED_WARPS], const ifl_access *access)
{
    const uint64_t place = access->block * IFL_WARP_LANES + access->warp;
    ifl_ragged **at = &walks[place % IFL_RAGGED_WARPS], *walk = *at;
    if (!walk)
        walk = *at = calloc(1, sizeof *walk);
    if (walk && (walk->block != access->block || walk->warp != access->warp)) {
        walk->block = access->block;
        walk->warp = access->warp;
        walk->taken = 0;
    }
    return walk;
}

/* All lanes that both requests have, two at least, go on by one word; lanes drop out one by one. */
static bool continues(const ifl_ragged_step *a, const ifl_ragged_step *b)
{
    uint32_t common = a->mask & b->mask;
    if (a->bytes != b->bytes || !(common & (common - 1)))
        return false;
    for (; common; common &= common - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(common);
        if (b->low[lane] - a->low[lane] != a->bytes)
            return false;
    }
    return true;
}

static void fill(ifl_ragged_step *step, const ifl_access *access, uint32_t slot)
{
    step->mask = access->mask;
    step->slot = slot;
    step->bytes = access->bytes;
    step->length = 1;
    step->before = IFL_RAGGED_STEPS;
    step->walks = false;
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        step->low[lane] = (uint32_t)access->address[lane];
    }
}

/* The latest step that this one continues; the place that it takes itself holds the oldest. */
static void follow(ifl_ragged *walk, unsigned at)
{
    ifl_ragged_step *step = &walk->step[at];
    for (unsigned back = 1; back < IFL_RAGGED_STEPS && back <= walk->taken; back++) {
        const unsigned earlier = (walk->taken - back) % IFL_RAGGED_STEPS;
        if (!continues(&walk->step[earlier], step))
            continue;
        step->before = (uint8_t)earlier;
        step->length = walk->step[earlier].length;
        step->length += step->length < IFL_RAGGED_WALK;
        return;
    }
}

/* Marks a walk backwards. A step whose place was taken since continues another one now, and is the
 * end. */
static unsigned mark(ifl_ragged *walk, unsigned at, uint32_t found[IFL_RAGGED_STEPS])
{
    unsigned count = 0;
    while (at < IFL_RAGGED_STEPS && !walk->step[at].walks && count < IFL_RAGGED_STEPS) {
        const unsigned before = walk->step[at].before;
        walk->step[at].walks = true;
        found[count++] = walk->step[at].slot;
        if (before >= IFL_RAGGED_STEPS || !continues(&walk->step[before], &walk->step[at]))
            break;
        at = before;
    }
    return count;
}

unsigned ifl_ragged_add(ifl_ragged *walk, const ifl_access *access, uint32_t slot,
                        uint32_t found[IFL_RAGGED_STEPS])
{
    const unsigned at = walk->taken % IFL_RAGGED_STEPS;
    fill(&walk->step[at], access, slot);
    follow(walk, at);
    walk->taken++;
    return walk->step[at].length >= IFL_RAGGED_WALK ? mark(walk, at, found) : 0;
}
