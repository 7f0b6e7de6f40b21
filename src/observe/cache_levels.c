/* SPDX-License-Identifier: Apache-2.0
 * What requests do to the L1 and the L2: cache_rules.h says by which rules. */
#include "observe/cache_levels.h"

enum { ALL_SECTORS = 0xf, SECTOR_BYTES = 32 };

static uint8_t count(unsigned sectors)
{
    return (uint8_t)__builtin_popcount(sectors);
}

/* ---- L1 -------------------------------------------------------------------------------------- */

bool ifl_l1_init(ifl_l1 *l1, const ifl_cache_rules *rules, uint32_t lines, uint32_t read_only_lines,
                 uint64_t age_limit)
{
    *l1 = (ifl_l1){.rules = rules, .age_limit = age_limit};
    if (!ifl_lru_init(&l1->lines, lines))
        return false;
    return !rules->read_only_kib || ifl_lru_init(&l1->read_only, read_only_lines);
}

void ifl_l1_free(ifl_l1 *l1)
{
    ifl_lru_free(&l1->lines);
    ifl_lru_free(&l1->read_only);
}

/* The cache that a load looks into, NULL for one that goes past all. */
static ifl_lru *cache_of(ifl_l1 *l1, ifl_cache_path path)
{
    if (path == IFL_PATH_BYPASS)
        return NULL;
    if (path == IFL_PATH_LOCAL)
        return &l1->lines;
    if (path == IFL_PATH_READ_ONLY && l1->read_only.capacity)
        return &l1->read_only;
    if (l1->rules->loads == IFL_L1_LOADS_NEVER ||
        (l1->rules->loads == IFL_L1_LOADS_ASKED && path != IFL_PATH_ASKED))
        return NULL;
    return &l1->lines;
}

static ifl_lru_line *find_recent(const ifl_l1 *l1, const ifl_lru *cache, uint64_t line, uint64_t now)
{
    ifl_lru_line *found = ifl_lru_find(cache, line);
    if (found && l1->age_limit != UINT64_MAX && now - found->touched > l1->age_limit)
        found->valid = 0;
    return found;
}

static ifl_lru_line *add_line(ifl_l1 *l1, ifl_lru *cache, uint64_t line, uint64_t now,
                              ifl_l1_answer *answer)
{
    ifl_lru_line *added, victim;
    if (ifl_lru_add(cache, line, now, &added, &victim)) {
        l1->evictions++;
        l1->ages += now - victim.touched;
        answer->written_back = victim.dirty;
        answer->victim = victim.line;
    }
    return added;
}

/* Document 004: a load past the L1 of these GPUs throws out the line that is there. */
static void throw_out(ifl_l1 *l1, uint64_t line)
{
    ifl_lru_line *found = ifl_lru_find(&l1->lines, line);
    if (found && l1->rules->stores_invalidate)
        found->valid = 0;
}

ifl_l1_answer ifl_l1_load(ifl_l1 *l1, uint64_t line, uint8_t sectors, ifl_cache_path path,
                          uint64_t now)
{
    ifl_l1_answer answer = {.fetched = sectors};
    ifl_lru *cache = cache_of(l1, path);
    if (!cache) {
        throw_out(l1, line);
        return answer;
    }
    ifl_lru_line *found = find_recent(l1, cache, line, now);
    answer.hits = found ? found->valid & sectors : 0;
    answer.fetched = sectors & (uint8_t)~answer.hits;
    if (answer.fetched && cache == &l1->lines && l1->rules->fetched_sectors == IFL_LINE_SECTORS)
        answer.fetched = ALL_SECTORS & (uint8_t)~(found ? found->valid : 0);
    if (found)
        ifl_lru_touch(cache, found, now);
    else if (path != IFL_PATH_NO_ALLOCATE)
        found = add_line(l1, cache, line, now, &answer);
    if (found && path != IFL_PATH_NO_ALLOCATE)
        found->valid |= answer.fetched;
    return answer;
}

ifl_l1_answer ifl_l1_store(ifl_l1 *l1, uint64_t line, uint8_t sectors, ifl_cache_path path,
                           uint64_t now, bool *stays)
{
    ifl_l1_answer answer = {0};
    bool is_local = path == IFL_PATH_LOCAL;
    ifl_lru_line *found = find_recent(l1, &l1->lines, line, now);
    *stays = is_local && l1->rules->local_is_written_back;
    if (found && !is_local && l1->rules->stores_invalidate)
        found->valid = 0;
    else if (found)
        ifl_lru_touch(&l1->lines, found, now);
    else if (is_local)
        found = add_line(l1, &l1->lines, line, now, &answer);
    if (found && is_local)
        found->valid |= sectors;
    if (found && *stays)
        found->dirty |= sectors;
    return answer;
}

void ifl_l1_atomic(ifl_l1 *l1, uint64_t line, uint8_t sectors)
{
    ifl_lru_line *found = ifl_lru_find(&l1->lines, line);
    if (found)
        found->valid &= (uint8_t)~sectors;
}

/* ---- L2 -------------------------------------------------------------------------------------- */

bool ifl_l2_init(ifl_l2 *l2, const ifl_cache_rules *rules, uint32_t lines)
{
    *l2 = (ifl_l2){.rules = rules};
    return ifl_lru_init(&l2->lines, lines);
}

void ifl_l2_free(ifl_l2 *l2)
{
    ifl_lru_free(&l2->lines);
}

/* The line as the newest, `answer` with what that throws out. */
static ifl_lru_line *line_of(ifl_l2 *l2, uint64_t line, uint64_t now, uint64_t ends,
                             ifl_l2_answer *answer)
{
    ifl_lru_line *found = ifl_lru_find(&l2->lines, line), victim;
    if (found)
        ifl_lru_touch(&l2->lines, found, now);
    else if (ifl_lru_add(&l2->lines, line, now, &found, &victim) && victim.ends > now)
        answer->dram_writes = count(victim.dirty);
    found->ends = ends;
    return found;
}

/* What DRAM sends for `missing`: pairs of sectors where the L2 fetches pairs. */
static uint8_t fetch(const ifl_l2 *l2, const ifl_lru_line *line, uint8_t missing)
{
    uint8_t pairs = missing | (missing & 0x5) << 1 | (missing & 0xa) >> 1;
    return (l2->rules->dram_sectors == 2 ? pairs : missing) & (uint8_t)~line->valid;
}

ifl_l2_answer ifl_l2_read(ifl_l2 *l2, uint64_t line, uint8_t sectors, uint64_t now, uint64_t ends)
{
    ifl_l2_answer answer = {0};
    ifl_lru_line *found = line_of(l2, line, now, ends, &answer);
    uint8_t missing = sectors & (uint8_t)~found->valid, fetched = fetch(l2, found, missing);
    answer.hits = count(sectors & found->valid);
    answer.dram_reads = count(fetched);
    found->valid |= fetched;
    return answer;
}

static void write_part(ifl_lru_line *line, int sector, uint8_t bytes)
{
    unsigned written = line->written[sector] + (unsigned)bytes;
    line->written[sector] = (uint8_t)(written < SECTOR_BYTES ? written : SECTOR_BYTES);
    if (written >= SECTOR_BYTES)
        line->valid |= (uint8_t)(1 << sector);
}

ifl_l2_answer ifl_l2_write(ifl_l2 *l2, uint64_t line, uint8_t sectors, uint8_t whole, uint8_t bytes,
                           uint64_t now, uint64_t ends)
{
    ifl_l2_answer answer = {.hits = count(sectors)};
    ifl_lru_line *found = line_of(l2, line, now, ends, &answer);
    uint8_t parts = sectors & (uint8_t)~(whole | found->valid);
    found->valid |= whole;
    found->dirty |= sectors;
    for (int s = 0; s < IFL_LINE_SECTORS; s++)
        if (parts >> s & 1)
            write_part(found, s, bytes);
    return answer;
}

ifl_l2_answer ifl_l2_atomic(ifl_l2 *l2, uint64_t line, uint8_t sectors, uint64_t now)
{
    ifl_l2_answer answer = ifl_l2_read(l2, line, sectors, now, UINT64_MAX);
    ifl_lru_line *found = ifl_lru_find(&l2->lines, line);
    found->dirty |= sectors;
    return answer;
}
