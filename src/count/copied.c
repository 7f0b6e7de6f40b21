/* SPDX-License-Identifier: Apache-2.0
 * Passes of copies past registers. No document has them: the rules were found on 400 copies of one
 * warp that an H200 counted and held against 211 others, of random lanes to random places. */
#include "count/copied.h"

#include "arch/units.h"

#include <string.h>

enum {
    HALF_BYTES = IFL_SECTOR_BYTES / 2,
    LINE_SECTORS = IFL_LINE_BYTES / IFL_SECTOR_BYTES,
    MOST_PLACES = IFL_LINE_BYTES / 4
};

/* ---- past the L1 ----------------------------------------------------------------------------- */

/* A sector of the source, or a half of it, that goes to a sector of the destination. */
typedef struct piece {
    uint64_t from, to;   /* sectors */
    uint32_t is_swapped; /* the first half becomes the second */
    uint32_t halves;     /* of the destination, a bit each */
} piece;

static bool is_same_way(const piece *a, const piece *b)
{
    return a->from == b->from && a->to == b->to && a->is_swapped == b->is_swapped;
}

/* The first with room for this half; a half that several lanes write is a piece for each. */
static void add_half(piece *all, unsigned *count, piece half)
{
    unsigned i = 0;
    while (i < *count && (!is_same_way(&all[i], &half) || all[i].halves & half.halves))
        i++;
    if (i == *count)
        all[(*count)++] = half;
    else
        all[i].halves |= half.halves;
}

static unsigned pieces_of(const ifl_access *access, piece all[IFL_WARP_LANES])
{
    unsigned count = 0;
    for (uint32_t m = access->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const uint64_t from = access->other[lane] / HALF_BYTES,
                       to = access->address[lane] / HALF_BYTES;
        add_half(all, &count, (piece){from / 2, to / 2, (from ^ to) & 1, 1u << (to & 1)});
    }
    return count;
}

/* May they pass together? Between a line and a line, the same halves in the same way, by one of the
 * permutations of four sectors that keep or exchange the even and the odd ones. */
static bool may_join(const piece *a, const piece *b)
{
    return a->from / LINE_SECTORS == b->from / LINE_SECTORS &&
           a->to / LINE_SECTORS == b->to / LINE_SECTORS && a->halves == b->halves &&
           a->is_swapped == b->is_swapped && !((a->from ^ a->to ^ b->from ^ b->to) & 1);
}

/* As many passes as one sector of either side has pieces. */
static unsigned passes_with(const piece *all, unsigned count, unsigned first, uint32_t *done)
{
    uint8_t from[LINE_SECTORS] = {0}, to[LINE_SECTORS] = {0}, most = 0;
    for (unsigned i = first; i < count; i++) {
        if (*done >> i & 1 || !may_join(&all[first], &all[i]))
            continue;
        *done |= 1u << i;
        const uint8_t reads = ++from[all[i].from % LINE_SECTORS],
                      writes = ++to[all[i].to % LINE_SECTORS];
        most = reads > most ? reads : most;
        most = writes > most ? writes : most;
    }
    return most;
}

static unsigned passes_past(const ifl_access *access)
{
    piece all[IFL_WARP_LANES];
    const unsigned count = pieces_of(access, all);
    uint32_t done = 0;
    unsigned passes = 0;
    for (unsigned i = 0; i < count; i++)
        if (!(done >> i & 1))
            passes += passes_with(all, count, i, &done);
    return passes;
}

/* ---- through the L1 -------------------------------------------------------------------------- */

/* Of lanes that go together: the L1 is read in turns, in each of which a bank gives one word of one
 * lane, and what a turn brings is written as a store is. */
static unsigned passes_of_group(const ifl_access *access, uint32_t lanes)
{
    const unsigned places = IFL_LINE_BYTES / access->bytes;
    uint8_t turns[MOST_PLACES] = {0}, written[IFL_WARP_LANES][MOST_PLACES],
            most[IFL_WARP_LANES] = {0};
    unsigned passes = 0;
    memset(written, 0, sizeof written);
    for (uint32_t m = lanes; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m),
                       turn = turns[access->other[lane] / access->bytes % places]++;
        const uint8_t now = ++written[turn][access->address[lane] / access->bytes % places];
        passes += now > most[turn];
        most[turn] = now > most[turn] ? now : most[turn];
    }
    return passes;
}

static unsigned passes_through(const ifl_access *access)
{
    const unsigned lanes = IFL_LINE_BYTES / access->bytes;
    unsigned passes = 0;
    for (unsigned first = 0; first < IFL_WARP_LANES; first += lanes)
        passes +=
            passes_of_group(access, access->mask & UINT32_MAX >> (IFL_WARP_LANES - lanes) << first);
    return passes;
}

/* ---- either ---------------------------------------------------------------------------------- */

uint32_t ifl_copied_passes(const ifl_access *access)
{
    return access->keeps_line ? passes_through(access) : passes_past(access);
}

uint32_t ifl_copied_sectors(const ifl_access *access)
{
    uint64_t line[IFL_WARP_LANES], sector[IFL_WARP_LANES];
    unsigned count = 0;
    for (uint32_t m = access->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const uint64_t from = access->address[lane] / IFL_LINE_BYTES,
                       to = access->other[lane] / IFL_SECTOR_BYTES;
        unsigned i = 0;
        while (i < count && (line[i] != from || sector[i] != to))
            i++;
        line[i] = from, sector[i] = to;
        count += i == count;
    }
    return count;
}
