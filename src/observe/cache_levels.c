/* SPDX-License-Identifier: Apache-2.0
 * What requests do to the L1 and the L2: cache_rules.h says by which rules. */
#include "observe/cache_levels.h"

enum { ALL_SECTORS = 0xf, SECTOR_BYTES = 32 };
/* As an H200 loses regions that are read again, and writes what was stored (docs/caches.md). */
enum { L1_WAYS = 8, L2_WAYS = 16, DIRTY_WAYS = 7 };

static uint8_t count(unsigned sectors)
{
    return (uint8_t)__builtin_popcount(sectors);
}

/* ---- L1 -------------------------------------------------------------------------------------- */

bool ifl_l1_init(ifl_l1 *l1, const ifl_cache_rules *rules, uint32_t lines, uint32_t read_only_lines,
                 uint64_t age_limit)
{
    *l1 = (ifl_l1){.rules = rules, .age_limit = age_limit};
    const uint32_t ways = age_limit == UINT64_MAX ? L1_WAYS : UINT32_MAX;
    if (!ifl_lru_init_sets(&l1->lines, lines, ways, 0))
        return false;
    return !rules->read_only_kib || ifl_lru_init_sets(&l1->read_only, read_only_lines, ways, 0);
}

void ifl_l1_free(ifl_l1 *l1)
{
    ifl_lru_free(&l1->lines);
    ifl_lru_free(&l1->read_only);
}

/* The cache that a load looks into, NULL for one that goes past all. */
static ifl_lru *cache_of(ifl_l1 *l1, ifl_path path)
{
    if (path == IFL_PATH_PAST || path == IFL_PATH_BYPASS)
        return NULL;
    if (path == IFL_PATH_LOCAL)
        return &l1->lines;
    if (path == IFL_PATH_READ_ONLY && l1->read_only.ways)
        return &l1->read_only;
    if (l1->rules->loads == IFL_L1_LOADS_NEVER ||
        (l1->rules->loads == IFL_L1_LOADS_ASKED && path != IFL_PATH_ASKED))
        return NULL;
    return &l1->lines;
}

static ifl_lru_line *find_recent(const ifl_l1 *l1, const ifl_lru *cache, uint64_t line,
                                 uint64_t now)
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

ifl_l1_answer ifl_l1_load(ifl_l1 *l1, uint64_t line, uint8_t sectors, ifl_path path,
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
        answer.fetched = ALL_SECTORS & (uint8_t) ~(found ? found->valid : 0);
    if (found)
        ifl_lru_touch(cache, found, now);
    else if (path != IFL_PATH_NO_ALLOCATE)
        found = add_line(l1, cache, line, now, &answer);
    if (found && path != IFL_PATH_NO_ALLOCATE)
        found->valid |= answer.fetched;
    return answer;
}

/* What a store makes of the line that is there, or of a new one. */
static void store_in(const ifl_l1 *l1, ifl_lru_line *line, uint8_t sectors, uint8_t whole,
                     bool is_local)
{
    if (!is_local && l1->rules->stores_invalidate)
        line->valid = 0;
    else
        line->valid |= is_local ? sectors : whole;
    if (is_local && l1->rules->local_is_written_back)
        line->dirty |= sectors;
}

ifl_l1_answer ifl_l1_store(ifl_l1 *l1, uint64_t line, uint8_t sectors, uint8_t whole,
                           ifl_path path, uint64_t now, bool *stays)
{
    ifl_l1_answer answer = {0};
    const bool is_local = path == IFL_PATH_LOCAL;
    ifl_lru_line *found = find_recent(l1, &l1->lines, line, now);
    *stays = is_local && l1->rules->local_is_written_back;
    if (found && (is_local || !l1->rules->stores_invalidate))
        ifl_lru_touch(&l1->lines, found, now);
    else if (!found && (is_local || l1->rules->stores_allocate))
        found = add_line(l1, &l1->lines, line, now, &answer);
    if (found)
        store_in(l1, found, sectors, whole, is_local);
    return answer;
}

void ifl_l1_atomic(ifl_l1 *l1, uint64_t line, uint8_t sectors)
{
    ifl_lru_line *found = ifl_lru_find(&l1->lines, line);
    if (found)
        found->valid &= (uint8_t)~sectors;
}

/* ---- L2 -------------------------------------------------------------------------------------- */

static bool init_half(ifl_l2_half *half, uint32_t lines, uint32_t share)
{
    const bool done = ifl_lru_init_sets(&half->lines, lines, L2_WAYS, share);
    half->most_dirty = (uint32_t)((uint64_t)lines * DIRTY_WAYS / L2_WAYS);
    return done;
}

bool ifl_l2_init(ifl_l2 *l2, const ifl_cache_rules *rules, uint32_t lines, uint32_t share)
{
    *l2 = (ifl_l2){.rules = rules, .halves = rules->l2_halves && lines > 1 ? 2 : 1};
    const uint32_t entries = rules->l2_lines_of_sectors ? lines * IFL_LINE_SECTORS : lines;
    for (uint32_t h = 0; h < l2->halves; h++)
        if (!init_half(&l2->half[h], entries / l2->halves, share))
            return false;
    return true;
}

void ifl_l2_free(ifl_l2 *l2)
{
    for (int h = 0; h < 2; h++)
        ifl_lru_free(&l2->half[h].lines);
}

static ifl_l2_half *home_of(ifl_l2 *l2, uint64_t line)
{
    enum { ANY_BIT = 20 }; /* neither those that a sample is taken by nor those of the table */
    return &l2->half[l2->halves == 2 ? ifl_line_hash(line) >> ANY_BIT & 1 : 0];
}

/* A line is written to DRAM, a sector that was stored in part is read before. */
static void clean(ifl_l2_half *half, ifl_lru_line *line, uint64_t now, ifl_l2_answer *answer)
{
    if (line->dirty)
        half->dirty--;
    if (line->dirty && line->ends > now) {
        answer->dram_writes += count(line->dirty);
        answer->dram_reads += count(line->dirty & (uint8_t)~line->valid);
    }
    line->valid |= line->dirty;
    line->dirty = 0;
}

/* Any line that is dirty: there is one. */
static ifl_lru_line *some_dirty(ifl_l2_half *half)
{
    for (;;) {
        half->chance = ifl_line_hash(half->chance + 1);
        ifl_lru_line *line =
            ifl_lru_at(&half->lines, (uint32_t)(half->chance % ifl_lru_places(&half->lines)));
        if (line && line->dirty)
            return line;
    }
}

/* Where too many are, another becomes clean; not for local memory, most of which ends before it would be written. */
static void make_dirty(ifl_l2_half *half, ifl_lru_line *line, uint8_t sectors, uint64_t now,
                       ifl_l2_answer *answer)
{
    const bool stays = line->ends == UINT64_MAX;
    if (!line->dirty && stays && half->dirty >= half->most_dirty && half->dirty)
        clean(half, some_dirty(half), now, answer);
    half->dirty += !line->dirty;
    line->dirty |= sectors;
}

/* The line as the newest, `answer` with what that throws out. */
static ifl_lru_line *line_of(ifl_l2_half *half, uint64_t line, const ifl_l2_asker *by,
                             ifl_l2_answer *answer)
{
    ifl_lru_line *found = ifl_lru_find(&half->lines, line), victim;
    if (found)
        ifl_lru_touch(&half->lines, found, by->now);
    else if (ifl_lru_add(&half->lines, line, by->now, &found, &victim))
        clean(half, &victim, by->now, answer);
    found->ends = by->ends;
    return found;
}

/* What is fetched for `missing`, from DRAM or the other half: pairs of sectors where the L2 fetches pairs. */
static uint8_t fetch(const ifl_l2 *l2, const ifl_lru_line *line, uint8_t missing)
{
    uint8_t pairs = missing | (missing & 0x5) << 1 | (missing & 0xa) >> 1;
    return (l2->rules->dram_sectors == 2 ? pairs : missing) & (uint8_t)~line->valid;
}

static ifl_l2_half *near_of(ifl_l2 *l2, const ifl_l2_asker *by)
{
    return &l2->half[by->near % l2->halves];
}

static uint8_t read_home(ifl_l2 *l2, uint64_t line, uint8_t sectors, const ifl_l2_asker *by,
                         ifl_l2_answer *answer)
{
    ifl_lru_line *found = line_of(home_of(l2, line), line, by, answer);
    uint8_t hits = sectors & found->valid, fetched = fetch(l2, found, sectors & (uint8_t)~hits);
    answer->dram_reads += count(fetched);
    found->valid |= fetched;
    answer->from_dram = fetched != 0;
    return hits;
}

/* What is asked of a line; `whole` and `bytes` are of writes. */
typedef struct request {
    uint64_t line;
    uint8_t sectors, whole, bytes;
} request;

static ifl_l2_answer read_line(ifl_l2 *l2, const request *r, const ifl_l2_asker *by)
{
    ifl_l2_answer answer = {0};
    ifl_l2_half *home = home_of(l2, r->line), *near = near_of(l2, by);
    if (near == home) {
        answer.hits = count(read_home(l2, r->line, r->sectors, by, &answer));
        return answer;
    }
    ifl_lru_line *copy = line_of(near, r->line, by, &answer);
    uint8_t fetched = fetch(l2, copy, r->sectors & (uint8_t)~copy->valid);
    answer.hits = count(r->sectors & copy->valid);
    copy->valid |= fetched;
    if (fetched)
        read_home(l2, r->line, fetched, by, &answer);
    return answer;
}

static void write_part(ifl_lru_line *line, int sector, uint8_t bytes)
{
    unsigned written = line->written[sector] + (unsigned)bytes;
    line->written[sector] = (uint8_t)(written < SECTOR_BYTES ? written : SECTOR_BYTES);
    if (written >= SECTOR_BYTES)
        line->valid |= (uint8_t)(1 << sector);
}

/* The copy in the other half no longer holds. */
static void drop_copy(ifl_l2 *l2, const ifl_l2_half *home, const request *r)
{
    for (uint32_t h = 0; h < l2->halves; h++) {
        ifl_lru_line *copy =
            &l2->half[h] != home ? ifl_lru_find(&l2->half[h].lines, r->line) : NULL;
        if (copy)
            copy->valid &= (uint8_t)~r->sectors;
    }
}

/* What was stored stays in the half that it came through. */
static void keep_copy(ifl_l2 *l2, const request *r, const ifl_l2_asker *by, ifl_l2_answer *answer)
{
    if (near_of(l2, by) != home_of(l2, r->line))
        line_of(near_of(l2, by), r->line, by, answer)->valid |= r->whole;
}

static ifl_l2_answer write_line(ifl_l2 *l2, const request *r, const ifl_l2_asker *by)
{
    ifl_l2_answer answer = {.hits = count(r->sectors)};
    ifl_l2_half *home = home_of(l2, r->line);
    ifl_lru_line *found = line_of(home, r->line, by, &answer);
    uint8_t parts = r->sectors & (uint8_t) ~(r->whole | found->valid);
    found->valid |= r->whole;
    make_dirty(home, found, r->sectors, by->now, &answer);
    for (int s = 0; s < IFL_LINE_SECTORS; s++)
        if (parts >> s & 1)
            write_part(found, s, r->bytes);
    drop_copy(l2, home, r);
    keep_copy(l2, r, by, &answer);
    return answer;
}

static ifl_l2_answer atomic_line(ifl_l2 *l2, const request *r, const ifl_l2_asker *by)
{
    ifl_l2_answer answer = {0};
    ifl_l2_half *home = home_of(l2, r->line);
    answer.hits = count(read_home(l2, r->line, r->sectors, by, &answer));
    make_dirty(home, ifl_lru_find(&home->lines, r->line), r->sectors, by->now, &answer);
    drop_copy(l2, home, r);
    return answer;
}

typedef ifl_l2_answer line_action(ifl_l2 *l2, const request *r, const ifl_l2_asker *by);

/* Where a line is a sector, each of the request's sectors is a line of its own. */
static ifl_l2_answer by_lines(ifl_l2 *l2, line_action *act, request r, const ifl_l2_asker *by)
{
    ifl_l2_answer sum = {0};
    if (!l2->rules->l2_lines_of_sectors)
        return act(l2, &r, by);
    for (unsigned s = 0; s < IFL_LINE_SECTORS; s++) {
        const uint8_t one = (uint8_t)(r.sectors & 1u << s);
        const request part = {r.line * IFL_LINE_SECTORS + s, one, r.whole & one, r.bytes};
        const ifl_l2_answer answer = one ? act(l2, &part, by) : (ifl_l2_answer){0};
        sum.hits += answer.hits;
        sum.dram_reads += answer.dram_reads;
        sum.dram_writes += answer.dram_writes;
        sum.from_dram |= answer.from_dram;
    }
    return sum;
}

ifl_l2_answer ifl_l2_read(ifl_l2 *l2, uint64_t line, uint8_t sectors, const ifl_l2_asker *by)
{
    return by_lines(l2, read_line, (request){line, sectors, 0, 0}, by);
}

ifl_l2_answer ifl_l2_write(ifl_l2 *l2, uint64_t line, uint8_t sectors, uint8_t whole, uint8_t bytes,
                           const ifl_l2_asker *by)
{
    return by_lines(l2, write_line, (request){line, sectors, whole, bytes}, by);
}

ifl_l2_answer ifl_l2_atomic(ifl_l2 *l2, uint64_t line, uint8_t sectors, const ifl_l2_asker *by)
{
    return by_lines(l2, atomic_line, (request){line, sectors, 0, 0}, by);
}
