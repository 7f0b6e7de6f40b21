/* SPDX-License-Identifier: Apache-2.0
 * The rule of block_places.h: by arithmetic where blocks are equal, by a heap where they are
 * not. */
#include "device/block_places.h"

#include <stdbool.h>

uint32_t ifl_place_sm(uint64_t place, uint32_t sms)
{
    return (uint32_t)(place % sms);
}

uint64_t ifl_block_wave(uint64_t block, uint64_t places)
{
    return block / places;
}

void ifl_block_places_init(ifl_block_places *places, size_t count)
{
    places->count = count;
    for (size_t i = 0; i < count; i++) {
        places->until[i] = 0;
        places->number[i] = (uint32_t)i;
    }
}

static bool goes_before(const ifl_block_places *p, size_t a, double until, uint32_t number)
{
    return p->until[a] < until || (p->until[a] == until && p->number[a] < number);
}

static void sink(ifl_block_places *p)
{
    const double until = p->until[0];
    const uint32_t number = p->number[0];
    size_t at = 0;
    for (size_t next = 1; next < p->count; next = 2 * at + 1) {
        next += next + 1 < p->count && goes_before(p, next + 1, p->until[next], p->number[next]);
        if (!goes_before(p, next, until, number))
            break;
        p->until[at] = p->until[next];
        p->number[at] = p->number[next];
        at = next;
    }
    p->until[at] = until;
    p->number[at] = number;
}

void ifl_block_places_put(ifl_block_places *places, double duration)
{
    places->until[0] += duration;
    sink(places);
}
