/* SPDX-License-Identifier: Apache-2.0
 * What requests do to an L2, by the rules of cache_rules.h. An entry is a line of the L2: the line
 * of that number, or one of its sectors. */
#include "cache/l2.h"

#include "cache/line.h"
#include "cache/set_shape.h"

#include <assert.h>
#include <string.h>

/* More than a set has. The time of use has the other bits of a stamp: a trace has far fewer
 * touches. */
enum { STAMP_WAYS = 32, WHOLE_LINE = (1 << IFL_LINE_SECTORS) - 1 };

/* ---- entries --------------------------------------------------------------------------------- */

static uint32_t entry_count(const ifl_l2 *l2)
{
    return l2->rules->l2_lines_of_sectors ? l2->line_count * IFL_LINE_SECTORS : l2->line_count;
}

/* Where sectors are lines, theirs follow each other. */
static uint64_t line_of(const ifl_l2 *l2, uint32_t entry)
{
    if (!l2->rules->l2_lines_of_sectors)
        return l2->lines[entry];
    return l2->lines[entry / IFL_LINE_SECTORS] * IFL_LINE_SECTORS + entry % IFL_LINE_SECTORS;
}

static uint32_t set_of(const ifl_l2 *l2, uint32_t entry)
{
    if (l2->set_count == 1)
        return 0;
    return ifl_set_of(ifl_line_place(line_of(l2, entry)), l2->share, l2->set_count);
}

static ifl_l2_line *held(const ifl_l2 *l2, uint32_t h, uint32_t entry)
{
    return &l2->held[(size_t)entry * l2->halves + h];
}

static uint64_t end_of(const ifl_l2 *l2, const ifl_l2_line *line)
{
    return l2->ends ? l2->ends[line - l2->held] : UINT64_MAX;
}

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Sectors that were stored in part. */
static uint8_t part_of(const ifl_l2_line *line)
{
    return line->dirty & (uint8_t)~line->valid;
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool has_full_set(const ifl_l2 *l2, uint8_t *count)
{
    for (uint32_t e = 0; e < entry_count(l2); e++)
        if (++count[set_of(l2, e)] > l2->ways)
            return true;
    return false;
}

static bool find_sets(ifl_l2 *l2)
{
    l2->set = ifl_room_take(&l2->set_room, entry_count(l2), sizeof *l2->set);
    for (uint32_t e = 0; l2->set && e < entry_count(l2); e++)
        l2->set[e] = set_of(l2, e);
    return l2->set != NULL;
}

static bool open_sets(const ifl_l2 *l2, ifl_l2_half *half)
{
    const size_t places = (size_t)l2->set_count * l2->ways;
    half->number = ifl_room_take(&half->number_room, places, sizeof *half->number);
    half->stamp = ifl_room_take(&half->stamp_room, places, sizeof *half->stamp);
    half->count = ifl_room_take(&half->count_room, l2->set_count, sizeof *half->count);
    return half->number && half->stamp && half->count;
}

/* Both halves are alike, and any line can come to be in both. */
static bool open_halves(ifl_l2 *l2, uint32_t lines)
{
    const ifl_set_shape shape = ifl_set_shape_of(lines, l2->rules->l2_ways);
    assert(shape.ways < STAMP_WAYS);
    uint8_t *count = ifl_room_take_zeroed(&l2->half[0].count_room, shape.sets, sizeof *count);
    if (!count)
        return false;
    l2->set_count = shape.sets;
    l2->ways = shape.ways;
    const ifl_cache_rules *rules = l2->rules;
    const uint32_t most_dirty = (uint32_t)((uint64_t)lines * rules->l2_dirty_ways / rules->l2_ways);
    const uint32_t most_parts =
        higher((uint32_t)((uint64_t)lines * rules->l2_part_ways / rules->l2_ways), 1);
    const bool needs_sets =
        entry_count(l2) > lower(most_dirty / 2, most_parts) || has_full_set(l2, count);
    if (needs_sets && !find_sets(l2))
        return false;
    for (uint32_t h = 0; h < l2->halves; h++) {
        l2->half[h].most_dirty = most_dirty;
        l2->half[h].most_parts = most_parts;
        l2->half[h].number = NULL;
        if (needs_sets && !open_sets(l2, &l2->half[h]))
            return false;
    }
    return true;
}

bool ifl_l2_open(ifl_l2 *l2, const ifl_cache_rules *rules, uint32_t capacity, uint32_t share,
                 const uint64_t *lines, uint32_t line_count, bool has_ends)
{
    l2->rules = rules;
    l2->halves = rules->l2_halves && capacity > 1 ? 2 : 1;
    l2->share = share;
    l2->lines = lines;
    l2->line_count = line_count;
    const uint32_t entries = rules->l2_lines_of_sectors ? capacity * IFL_LINE_SECTORS : capacity;
    const size_t most_held = (size_t)entry_count(l2) * l2->halves;
    l2->held = ifl_room_take(&l2->held_room, most_held, sizeof *l2->held);
    l2->ends = has_ends ? ifl_room_take(&l2->ends_room, most_held, sizeof *l2->ends) : NULL;
    if (!l2->held || (has_ends && !l2->ends) || !open_halves(l2, entries / l2->halves))
        return false;
    ifl_l2_empty(l2);
    return true;
}

void ifl_l2_empty(ifl_l2 *l2)
{
    memset(l2->held, 0, (size_t)entry_count(l2) * l2->halves * sizeof *l2->held);
    for (uint32_t h = 0; h < l2->halves; h++) {
        ifl_l2_half *half = &l2->half[h];
        half->dirty = half->parts = half->fills = half->clock = 0;
        half->chance = 0;
        if (!half->number)
            continue;
        memset(half->number, 0, (size_t)l2->set_count * l2->ways * sizeof *half->number);
        memset(half->count, 0, l2->set_count * sizeof *half->count);
    }
}

bool ifl_l2_has_sets(const ifl_l2 *l2)
{
    return l2->half[0].number != NULL;
}

void ifl_l2_free(ifl_l2 *l2)
{
    for (int h = 0; h < 2; h++) {
        ifl_room_free(&l2->half[h].number_room);
        ifl_room_free(&l2->half[h].stamp_room);
        ifl_room_free(&l2->half[h].count_room);
    }
    ifl_room_free(&l2->held_room);
    ifl_room_free(&l2->ends_room);
    ifl_room_free(&l2->set_room);
    *l2 = (ifl_l2){0};
}

/* ---- coming and going ------------------------------------------------------------------------ */

/* A sector alone takes the DRAM as long as two. */
static uint8_t padding_of(uint8_t sectors)
{
    return ifl_sector_count(sectors) == 1;
}

/* What was stored in part is read from DRAM. */
static void fill(ifl_l2_half *half, ifl_l2_line *line, ifl_l2_answer *answer)
{
    const uint8_t filled = part_of(line);
    half->parts -= filled != 0;
    answer->dram_reads += ifl_sector_count(filled);
    answer->dram_padding += padding_of(filled);
    line->valid |= filled;
}

/* A line is written to DRAM, filled before. What means nothing any more is not. */
static void clean(const ifl_l2 *l2, ifl_l2_half *half, ifl_l2_line *line, uint64_t now,
                  ifl_l2_answer *answer)
{
    ifl_l2_answer nothing = {0};
    ifl_l2_answer *to = end_of(l2, line) > now ? answer : &nothing;
    if (!line->dirty)
        return;
    fill(half, line, to);
    half->dirty--;
    to->dram_writes += ifl_sector_count(line->dirty);
    to->dram_padding += padding_of(line->dirty);
    line->dirty = 0;
}

/* Any line that is dirty, or stored in part: there is one. */
static ifl_l2_line *some_dirty(ifl_l2 *l2, uint32_t h, bool in_part)
{
    ifl_l2_half *half = &l2->half[h];
    const uint32_t places = l2->set_count * l2->ways;
    for (;;) {
        half->chance = ifl_line_hash(half->chance + 1);
        const uint32_t number = half->number[half->chance % places];
        ifl_l2_line *line = number ? held(l2, h, number - 1) : NULL;
        if (line && (in_part ? part_of(line) : line->dirty))
            return line;
    }
}

/* Where too many are, another becomes clean; not for local memory, most of which ends before it
 * would be written. A line that is stored in part counts twice. */
static void make_dirty(ifl_l2 *l2, uint32_t h, ifl_l2_line *line, uint8_t sectors, uint64_t now,
                       ifl_l2_answer *answer)
{
    ifl_l2_half *half = &l2->half[h];
    const bool stays = end_of(l2, line) == UINT64_MAX;
    if (!line->dirty && stays && half->dirty + half->parts >= half->most_dirty && half->dirty)
        clean(l2, half, some_dirty(l2, h, false), now, answer);
    half->dirty += !line->dirty;
    line->dirty |= sectors;
}

/* Where too many lines are stored in part, another is filled, and every second one of these written. */
static void limit_parts(ifl_l2 *l2, uint32_t h, uint64_t now, ifl_l2_answer *answer)
{
    ifl_l2_half *half = &l2->half[h];
    if (!half->number || half->parts <= half->most_parts)
        return;
    ifl_l2_line *line = some_dirty(l2, h, true);
    if (++half->fills % 2)
        fill(half, line, answer);
    else
        clean(l2, half, line, now, answer);
}

static uint32_t oldest_in(const ifl_l2 *l2, const ifl_l2_half *half, uint32_t set)
{
    const uint32_t *stamp = &half->stamp[(size_t)set * l2->ways];
    uint32_t even = stamp[0],
             odd = stamp[l2->ways - 1]; /* two, so that one need not wait for the other */
    for (uint32_t way = 0; way + 1 < l2->ways; way += 2) {
        even = lower(even, stamp[way]);
        odd = lower(odd, stamp[way + 1]);
    }
    return set * l2->ways + lower(even, odd) % STAMP_WAYS;
}

/* A place for a line that the half does not hold; `answer` with what had to go for it. */
static uint32_t make_room(ifl_l2 *l2, uint32_t h, uint32_t entry, uint64_t now,
                          ifl_l2_answer *answer)
{
    ifl_l2_half *half = &l2->half[h];
    const uint32_t set = l2->set[entry];
    if (half->count[set] < l2->ways)
        return set * l2->ways + half->count[set]++;
    const uint32_t place = oldest_in(l2, half, set);
    ifl_l2_line *victim = held(l2, h, half->number[place] - 1);
    clean(l2, half, victim, now, answer);
    *victim = (ifl_l2_line){0};
    return place;
}

/* The line as the one used last, `answer` with what that throws out. */
static ifl_l2_line *use(ifl_l2 *l2, uint32_t h, uint32_t entry, const ifl_l2_request *r,
                        ifl_l2_answer *answer)
{
    ifl_l2_half *half = &l2->half[h];
    ifl_l2_line *line = held(l2, h, entry);
    if (half->number) {
        if (!line->place) {
            const uint32_t place = make_room(l2, h, entry, r->now, answer);
            half->number[place] = entry + 1;
            line->place = place + 1;
        }
        const uint32_t place = line->place - 1;
        half->stamp[place] = ++half->clock * STAMP_WAYS + (place - l2->set[entry] * l2->ways);
    }
    if (l2->ends)
        l2->ends[line - l2->held] = r->ends;
    return line;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* What is fetched for `missing`, from DRAM or the other half: pairs of sectors where the L2
 * fetches pairs. */
static uint8_t fetch(const ifl_l2 *l2, const ifl_l2_line *line, uint8_t missing)
{
    uint8_t pairs = missing | (missing & 0x5) << 1 | (missing & 0xa) >> 1;
    return (l2->rules->dram_sectors == 2 ? pairs : missing) & (uint8_t)~line->valid;
}

static uint32_t home_of(const ifl_l2 *l2, const ifl_l2_request *r)
{
    return l2->halves == 2 ? r->home : 0;
}

static uint32_t near_of(const ifl_l2 *l2, const ifl_l2_request *r)
{
    return l2->halves == 2 ? r->near : 0;
}

static uint8_t read_home(ifl_l2 *l2, uint32_t entry, uint8_t sectors, const ifl_l2_request *r,
                         ifl_l2_answer *answer)
{
    ifl_l2_line *line = use(l2, home_of(l2, r), entry, r, answer);
    const bool was_part = part_of(line) != 0;
    const uint8_t hits = sectors & line->valid, missing = sectors & (uint8_t)~hits,
                  fetched = fetch(l2, line, missing && r->brings_line ? WHOLE_LINE : missing);
    answer->dram_reads += ifl_sector_count(fetched);
    line->valid |= fetched;
    l2->half[home_of(l2, r)].parts -= was_part && !part_of(line);
    answer->from_dram = fetched != 0;
    return hits;
}

static ifl_l2_answer read_entry(ifl_l2 *l2, uint32_t entry, const ifl_l2_request *r)
{
    ifl_l2_answer answer = {0};
    if (near_of(l2, r) == home_of(l2, r)) {
        answer.hits = ifl_sector_count(read_home(l2, entry, r->sectors, r, &answer));
        return answer;
    }
    ifl_l2_line *copy = use(l2, near_of(l2, r), entry, r, &answer);
    uint8_t fetched = fetch(l2, copy, r->sectors & (uint8_t)~copy->valid);
    answer.hits = ifl_sector_count(r->sectors & copy->valid);
    copy->valid |= fetched;
    if (fetched)
        read_home(l2, entry, fetched, r, &answer);
    return answer;
}

/* The copy in the other half no longer holds. */
static void drop_copy(ifl_l2 *l2, uint32_t entry, const ifl_l2_request *r)
{
    if (l2->halves == 2)
        held(l2, !home_of(l2, r), entry)->valid &= (uint8_t)~r->sectors;
}

static ifl_l2_answer write_entry(ifl_l2 *l2, uint32_t entry, const ifl_l2_request *r)
{
    ifl_l2_answer answer = {.hits = ifl_sector_count(r->sectors)};
    ifl_l2_line *line = use(l2, home_of(l2, r), entry, r, &answer);
    ifl_l2_half *half = &l2->half[home_of(l2, r)];
    const uint8_t parts = r->sectors & (uint8_t) ~(r->whole | line->valid);
    const bool was_part = part_of(line) != 0;
    line->valid |= r->whole;
    make_dirty(l2, home_of(l2, r), line, r->sectors, r->now, &answer);
    for (int s = 0; parts && s < IFL_LINE_SECTORS; s++)
        if (parts >> s & 1) {
            const unsigned written = line->written[s] + (unsigned)r->bytes;
            line->written[s] = (uint8_t)(written < IFL_SECTOR_BYTES ? written : IFL_SECTOR_BYTES);
            if (written >= IFL_SECTOR_BYTES)
                line->valid |= (uint8_t)(1 << s);
        }
    half->parts += (part_of(line) != 0) - was_part;
    limit_parts(l2, home_of(l2, r), r->now, &answer);
    drop_copy(l2, entry, r);
    /* What was stored stays in the half that it came through. */
    if (near_of(l2, r) != home_of(l2, r))
        use(l2, near_of(l2, r), entry, r, &answer)->valid |= r->whole;
    return answer;
}

static ifl_l2_answer atomic_entry(ifl_l2 *l2, uint32_t entry, const ifl_l2_request *r)
{
    ifl_l2_answer answer = {0};
    const uint32_t home = home_of(l2, r);
    answer.hits = ifl_sector_count(read_home(l2, entry, r->sectors, r, &answer));
    make_dirty(l2, home, held(l2, home, entry), r->sectors, r->now, &answer);
    drop_copy(l2, entry, r);
    return answer;
}

typedef ifl_l2_answer entry_action(ifl_l2 *l2, uint32_t entry, const ifl_l2_request *r);

/* Where a line is a sector, each of the request's sectors is a line of its own. */
static ifl_l2_answer by_sector(ifl_l2 *l2, entry_action *act, const ifl_l2_request *r)
{
    ifl_l2_answer sum = {0};
    for (unsigned s = 0; s < IFL_LINE_SECTORS; s++) {
        const uint8_t one = (uint8_t)(r->sectors & 1u << s);
        ifl_l2_request of_one = *r;
        of_one.sectors = one;
        of_one.whole = r->whole & one;
        const ifl_l2_answer answer =
            one ? act(l2, r->number * IFL_LINE_SECTORS + s, &of_one) : (ifl_l2_answer){0};
        sum.hits += answer.hits;
        sum.dram_reads += answer.dram_reads;
        sum.dram_writes += answer.dram_writes;
        sum.dram_padding += answer.dram_padding;
        sum.from_dram |= answer.from_dram;
    }
    return sum;
}

void ifl_l2_expect(const ifl_l2 *l2, uint32_t number)
{
    const uint32_t entry = l2->rules->l2_lines_of_sectors ? number * IFL_LINE_SECTORS : number;
    __builtin_prefetch(held(l2, 0, entry));
    for (uint32_t h = 0; h < l2->halves && l2->half[h].number; h++)
        __builtin_prefetch(&l2->half[h].stamp[(size_t)l2->set[entry] * l2->ways]);
}

ifl_l2_answer ifl_l2_read(ifl_l2 *l2, const ifl_l2_request *request)
{
    return l2->rules->l2_lines_of_sectors ? by_sector(l2, read_entry, request)
                                          : read_entry(l2, request->number, request);
}

ifl_l2_answer ifl_l2_write(ifl_l2 *l2, const ifl_l2_request *request)
{
    return l2->rules->l2_lines_of_sectors ? by_sector(l2, write_entry, request)
                                          : write_entry(l2, request->number, request);
}

ifl_l2_answer ifl_l2_atomic(ifl_l2 *l2, const ifl_l2_request *request)
{
    return l2->rules->l2_lines_of_sectors ? by_sector(l2, atomic_entry, request)
                                          : atomic_entry(l2, request->number, request);
}

/* ---- at the end ------------------------------------------------------------------------------ */

void ifl_l2_count_dirty(const ifl_l2 *l2, uint64_t now, uint64_t *groups)
{
    for (uint32_t e = 0; e < entry_count(l2); e++) {
        const ifl_l2_line *lines = held(l2, 0, e);
        for (uint32_t h = 0; h < l2->halves; h++)
            if (lines[h].dirty && end_of(l2, &lines[h]) > now)
                groups[ifl_line_group(line_of(l2, e), l2->share)] +=
                    ifl_sector_count(lines[h].dirty);
    }
}
