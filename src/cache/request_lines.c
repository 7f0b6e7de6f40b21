/* SPDX-License-Identifier: Apache-2.0
 * From the addresses of 32 lanes to lines. */
#include "cache/request_lines.h"

#include "arch/units.h"

#include <string.h>

enum { SLOT_BITS = 7 };
_Static_assert(1 << SLOT_BITS == IFL_REQUEST_SLOTS, "a slot for each value of the bits");

void ifl_request_lines_init(ifl_request_lines *lines)
{
    *lines = (ifl_request_lines){.count = 0};
    ifl_request_lines_want(lines, 0);
}

void ifl_request_lines_free(ifl_request_lines *lines)
{
    ifl_alike_free(&lines->known);
}

void ifl_request_lines_want(ifl_request_lines *lines, uint32_t share)
{
    lines->share = share;
    lines->most_place = ifl_line_most_place(share);
}

/* ---- the lines that are wanted --------------------------------------------------------------- */

static ifl_request_line *add_line(ifl_request_lines *lines, uint64_t line, uint64_t place)
{
    ifl_request_line *added = &lines->at[lines->count++];
    *added = (ifl_request_line){.line = line, .place = place};
    return added;
}

/* The line, which is wanted: the one that is there already, or a new one. */
static ifl_request_line *line_of(ifl_request_lines *lines, uint64_t line, uint64_t place)
{
    if (!lines->count)
        memset(lines->slot, 0, sizeof lines->slot);
    uint32_t at = (uint32_t)(place << lines->share >> (64 - SLOT_BITS));
    for (; lines->slot[at]; at = (at + 1) % IFL_REQUEST_SLOTS)
        if (lines->at[lines->slot[at] - 1].line == line)
            return &lines->at[lines->slot[at] - 1];
    lines->slot[at] = (uint8_t)(lines->count + 1);
    return add_line(lines, line, place);
}

/* ---- what is touched of a line --------------------------------------------------------------- */

/* Bits first to last - 1 of 64, of a range that may lie outside. */
static uint64_t bits_between(int64_t first, int64_t last)
{
    first = first < 0 ? 0 : first;
    last = last > 64 ? 64 : last;
    if (first >= last)
        return 0;
    return UINT64_MAX >> (64 - (last - first)) << first;
}

/* `bytes` of the line from `at` on; of stores the bytes count, of loads only the sectors. */
static void touch(ifl_request_line *line, uint32_t at, uint32_t bytes, bool is_load)
{
    const uint32_t first = at / IFL_SECTOR_BYTES, last = (at + bytes - 1) / IFL_SECTOR_BYTES;
    line->sectors |= (uint8_t)((2u << last) - (1u << first));
    if (is_load) {
        line->words |= (2u << (at + bytes - 1) / 4) - (1u << at / 4);
        return;
    }
    if (at % 64 + bytes < 64) {
        line->stored[at / 64] |= ((UINT64_C(1) << bytes) - 1) << at % 64;
        return;
    }
    line->stored[0] |= bits_between(at, at + bytes);
    line->stored[1] |= bits_between((int64_t)at - 64, (int64_t)at + bytes - 64);
}

/* Bytes in a row, by line; `is_first`: no other lines are there yet, so that none of these is. */
static void touch_row(ifl_request_lines *lines, uint64_t address, uint32_t bytes, bool is_load,
                      bool is_first)
{
    while (bytes) {
        const uint32_t at = address % IFL_LINE_BYTES, room = IFL_LINE_BYTES - at;
        const uint32_t here = bytes < room ? bytes : room;
        const uint64_t line = address / IFL_LINE_BYTES;
        const uint64_t place = ifl_line_place_next(&lines->row, line);
        if (place <= lines->most_place)
            touch(is_first ? add_line(lines, line, place) : line_of(lines, line, place), at, here,
                  is_load);
        address += here;
        bytes -= here;
    }
}

/* What 32 addresses have in common, and which of them a sample leaves out, a bit a lane. */
typedef struct common {
    uint64_t any, all; /* bits of the addresses */
    uint32_t unwanted;
} common;

static inline void look_at(common *c, uint64_t address, uint64_t row_hash, uint64_t most_place)
{
    c->any |= address;
    c->all &= address;
    c->unwanted += c->unwanted;
    c->unwanted += most_place < ifl_line_place_in_row(address / IFL_LINE_BYTES, row_hash);
}

/* Then most lanes are probably in the line of the one before them. */
static bool starts_in_one_line(const ifl_access *access)
{
    return access->address[0] / IFL_LINE_BYTES == access->address[1] / IFL_LINE_BYTES;
}

/* Of the active lanes those whose lines may be wanted. In a sample that is few: where all lines
 * are of one row, and no lane can reach from one line into the next, the others are told apart
 * without a branch. */
static uint32_t wanted_lanes(const ifl_request_lines *lines, const ifl_access *access)
{
    const uint64_t *address = access->address, most_place = lines->most_place;
    const uint64_t row_hash = ifl_line_hash(*address / IFL_LINE_BYTES >> IFL_LINE_ROW_BITS);
    common c = {.all = UINT64_MAX};
    if (!lines->share || access->mask != UINT32_MAX || starts_in_one_line(access))
        return access->mask;
    for (int lane = IFL_WARP_LANES; lane > 0;
         lane -= 4) { /* four in a row: the loop costs as much as one */
        look_at(&c, address[lane - 1], row_hash, most_place);
        look_at(&c, address[lane - 2], row_hash, most_place);
        look_at(&c, address[lane - 3], row_hash, most_place);
        look_at(&c, address[lane - 4], row_hash, most_place);
    }
    const bool is_one_row = (c.any ^ c.all) / IFL_LINE_BYTES >> IFL_LINE_ROW_BITS == 0;
    return is_one_row && !(c.any & (access->bytes - 1u)) ? ~c.unwanted : access->mask;
}

/* The line's entry; NULL: it is not wanted. */
static ifl_request_line *wanted_line(ifl_request_lines *lines, uint64_t line)
{
    const uint64_t place = ifl_line_place_next(&lines->row, line);
    return place <= lines->most_place ? line_of(lines, line, place) : NULL;
}

/* Lanes side by side are mostly in one line, which is then looked up once. */
static void touch_lanes(ifl_request_lines *lines, const ifl_access *access, bool is_load)
{
    uint64_t last = UINT64_MAX; /* no address lies there */
    ifl_request_line *found = NULL;
    for (uint32_t m = wanted_lanes(lines, access); m; m &= m - 1) {
        const uint64_t address = access->address[__builtin_ctz(m)], line = address / IFL_LINE_BYTES;
        const uint32_t at = address % IFL_LINE_BYTES;
        if (at + access->bytes > IFL_LINE_BYTES) {
            touch_row(lines, address, access->bytes, is_load, false);
            continue;
        }
        found = line == last ? found : wanted_line(lines, line);
        last = line;
        if (found)
            touch(found, at, access->bytes, is_load);
    }
}

/* All lanes load, and none reaches from one sector into the next. */
static void touch_sectors(ifl_request_lines *lines, const ifl_access *access)
{
    const uint64_t *address = access->address;
    const uint32_t of_lane = access->bytes > 4 ? (1u << access->bytes / 4) - 1 : 1;
    for (int lane = 0; lane < IFL_WARP_LANES;) {
        const uint64_t line = address[lane] / IFL_LINE_BYTES;
        uint32_t sectors = 0, words = 0;
        do {
            sectors |= 1u << (address[lane] / IFL_SECTOR_BYTES % IFL_LINE_SECTORS);
            words |= of_lane << (address[lane] / 4 % 32);
        } while (++lane < IFL_WARP_LANES && address[lane] / IFL_LINE_BYTES == line);
        ifl_request_line *found = wanted_line(lines, line);
        if (found) {
            found->sectors |= (uint8_t)sectors;
            found->words |= words;
        }
    }
}

static bool is_aligned(const ifl_access *access)
{
    uint64_t bits = access->bytes;
    for (int lane = 0; lane < IFL_WARP_LANES; lane++)
        bits |= access->address[lane];
    return (bits & -bits) == access->bytes;
}

/* ---- what is stored -------------------------------------------------------------------------- */

/* Without an instruction for it: sums of 2, 4, 8 bits side by side. */
static uint32_t count_bits(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* Words of which all four bytes are stored, of 16. */
static uint32_t whole_words(uint64_t stored)
{
    uint64_t x = stored & stored >> 1;
    x &= x >> 2;
    x &= UINT64_C(0x1111111111111111); /* bit 4n: word n; then side by side */
    x = (x | x >> 3) & UINT64_C(0x0303030303030303);
    x = (x | x >> 6) & UINT64_C(0x000f000f000f000f);
    x = (x | x >> 12) & UINT64_C(0x000000ff000000ff);
    return (uint32_t)((x | x >> 24) & 0xffff);
}

static void sum_up(ifl_request_line *line)
{
    uint32_t parts = 0, bytes = 0;
    for (uint32_t left = line->sectors; left; left &= left - 1) {
        const int s = __builtin_ctz(left);
        const uint32_t stored = (uint32_t)(line->stored[s / 2] >> s % 2 * IFL_SECTOR_BYTES);
        const bool is_whole = stored == UINT32_MAX;
        line->sectors |= (uint8_t)(is_whole << (s + IFL_LINE_SECTORS));
        parts += !is_whole;
        bytes += is_whole ? 0 : count_bits(stored);
    }
    line->words = whole_words(line->stored[0]) | whole_words(line->stored[1]) << 16;
    line->part_bytes = (uint8_t)(parts > 1 ? (bytes + parts - 1) / parts : bytes);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void find(ifl_request_lines *lines, const ifl_access *access)
{
    const ifl_access_kind kind = ifl_access_plain_kind(access->kind);
    const bool is_load = kind == IFL_ACCESS_LOAD || kind == IFL_ACCESS_PREFETCH;
    lines->count = 0;
    if (access->shape == IFL_SHAPE_CONTIGUOUS && access->mask == UINT32_MAX)
        touch_row(lines, access->address[0], (uint32_t)access->bytes * IFL_WARP_LANES, is_load,
                  true);
    else if (access->shape == IFL_SHAPE_UNIFORM)
        touch_row(lines, access->address[__builtin_ctz(access->mask)], access->bytes, is_load,
                  true);
    else if (is_load && access->mask == UINT32_MAX && starts_in_one_line(access) &&
             is_aligned(access))
        touch_sectors(lines, access);
    else
        touch_lanes(lines, access, is_load);
    for (uint32_t l = 0; !is_load && l < lines->count; l++)
        sum_up(&lines->at[l]);
}

/* ---- requests that are alike ----------------------------------------------------------------- */

/* Of a request that begins at line 0. */
typedef struct known_lines {
    uint32_t count;
    struct {
        int32_t line;
        uint32_t words;
        uint8_t sectors, part_bytes;
    } at[IFL_WARP_LANES];
} known_lines;

static uint64_t first_line(const ifl_access *access)
{
    return access->address[__builtin_ctz(access->mask)] / IFL_LINE_BYTES;
}

/* NULL: nothing is known of it, or no memory. */
static known_lines *entry_of(ifl_request_lines *lines, const ifl_access *access, bool *is_new)
{
    const uint64_t first = access->address[__builtin_ctz(access->mask)];
    return access->likeness ? ifl_alike_find(&lines->known, sizeof(known_lines), access->likeness,
                                             first % IFL_LINE_BYTES, is_new)
                            : NULL;
}

/* All lines; none where they are too many or too far apart for an entry, as no request has. */
static void learn(ifl_request_lines *lines, const ifl_access *access, known_lines *known)
{
    const uint64_t wanted = lines->most_place, first = first_line(access);
    const uint32_t share = lines->share;
    ifl_request_lines_want(lines, 0);
    find(lines, access);
    lines->share = share;
    lines->most_place = wanted;
    known->count = lines->count <= IFL_WARP_LANES ? lines->count : 0;
    for (uint32_t i = 0; i < known->count; i++) {
        const ifl_request_line *line = &lines->at[i];
        const int64_t distance = (int64_t)(line->line - first);
        if (distance != (int32_t)distance) {
            known->count = 0;
            return;
        }
        known->at[i].line = (int32_t)distance;
        known->at[i].words = line->words;
        known->at[i].sectors = line->sectors;
        known->at[i].part_bytes = line->part_bytes;
    }
}

static void take_known(ifl_request_lines *lines, const known_lines *known, uint64_t first)
{
    lines->count = 0;
    for (uint32_t i = 0; i < known->count; i++) {
        const uint64_t line = first + (uint64_t)(int64_t)known->at[i].line,
                       place = ifl_line_place_next(&lines->row, line);
        if (place > lines->most_place)
            continue;
        lines->at[lines->count++] = (ifl_request_line){.line = line,
                                                       .place = place,
                                                       .sectors = known->at[i].sectors,
                                                       .part_bytes = known->at[i].part_bytes,
                                                       .words = known->at[i].words};
    }
}

void ifl_request_lines_find(ifl_request_lines *lines, const ifl_access *access)
{
    bool is_new = true;
    known_lines *known = entry_of(lines, access, &is_new);
    if (known && is_new)
        learn(lines, access, known);
    if (known && known->count)
        take_known(lines, known, first_line(access));
    else
        find(lines, access);
}
