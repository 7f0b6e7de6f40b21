/* SPDX-License-Identifier: Apache-2.0
 * What requests do to an L1, by the rules of cache_rules.h. */
#include "cache/l1.h"

#include "arch/units.h"
#include "cache/line.h"
#include "cache/set_shape.h"

#include <string.h>

enum { ALL_SECTORS = 0xf };

/* ---- opening --------------------------------------------------------------------------------- */

static bool open_sets(ifl_l1_sets *sets, uint32_t lines, uint32_t ways)
{
    const ifl_set_shape shape = ifl_set_shape_of(lines, ways);
    sets->ways = shape.ways;
    sets->set_count = shape.sets;
    sets->stamp = 1;
    sets->lines =
        ifl_room_take(&sets->line_room, (size_t)shape.sets * shape.ways, sizeof *sets->lines);
    sets->set = ifl_room_take_zeroed(&sets->set_room, shape.sets, sizeof *sets->set);
    return sets->lines && sets->set;
}

static void reset(ifl_l1 *l1, const ifl_cache_rules *rules, uint64_t age_limit)
{
    l1->rules = rules;
    l1->lines.ways = l1->read_only.ways = 0;
    l1->by_number[0] = l1->by_number[1] = NULL;
    l1->owner = 1;
    l1->age_limit = age_limit;
    l1->same_from = 0;
    l1->same_to = UINT64_MAX;
    l1->evictions = l1->ages = 0;
}

bool ifl_l1_open(ifl_l1 *l1, const ifl_cache_rules *rules, uint32_t lines, uint32_t read_only_lines)
{
    reset(l1, rules, UINT64_MAX);
    return open_sets(&l1->lines, lines, rules->l1_ways) &&
           (!rules->read_only_kib || open_sets(&l1->read_only, read_only_lines, rules->l1_ways));
}

/* Nobody owns line 0. */
bool ifl_l1_open_aging(ifl_l1 *l1, const ifl_cache_rules *rules, uint32_t line_count,
                       uint64_t age_limit)
{
    reset(l1, rules, age_limit);
    for (int i = 0; i < (rules->read_only_kib ? 2 : 1); i++) {
        l1->by_number[i] =
            ifl_room_take_zeroed(&l1->number_room[i], line_count, sizeof *l1->by_number[i]);
        if (!l1->by_number[i])
            return false;
    }
    return true;
}

static void empty_sets(ifl_l1_sets *sets)
{
    if (++sets->stamp || !sets->ways)
        return;
    memset(sets->set, 0, sets->set_count * sizeof *sets->set);
    sets->stamp = 1;
}

void ifl_l1_empty(ifl_l1 *l1)
{
    l1->owner++;
    empty_sets(&l1->lines);
    empty_sets(&l1->read_only);
}

void ifl_l1_free(ifl_l1 *l1)
{
    for (int i = 0; i < 2; i++) {
        ifl_l1_sets *sets = i ? &l1->read_only : &l1->lines;
        ifl_room_free(&sets->line_room);
        ifl_room_free(&sets->set_room);
        ifl_room_free(&l1->number_room[i]);
    }
    *l1 = (ifl_l1){0};
}

/* ---- lines of a set -------------------------------------------------------------------------- */

static struct ifl_l1_set *set_of(ifl_l1_sets *sets, uint64_t line)
{
    const bool is_only = sets->set_count == 1;
    struct ifl_l1_set *set =
        &sets->set[is_only ? 0 : ifl_set_of(ifl_line_place(line), 0, sets->set_count)];
    if (set->stamp != sets->stamp)
        *set = (struct ifl_l1_set){.stamp = sets->stamp};
    return set;
}

static ifl_l1_line *first_of(const ifl_l1_sets *sets, const struct ifl_l1_set *set)
{
    return &sets->lines[(size_t)(set - sets->set) * sets->ways];
}

static ifl_l1_line *find_in_set(ifl_l1_sets *sets, uint64_t line)
{
    sets->last = set_of(sets, line);
    ifl_l1_line *at = first_of(sets, sets->last);
    for (uint32_t i = 0; i < sets->last->count; i++)
        if (at[i].line == line)
            return &at[i];
    return NULL;
}

/* Moves a line to the front. */
static ifl_l1_line *use(ifl_l1_line *first, ifl_l1_line *line)
{
    if (line == first)
        return first;
    const ifl_l1_line used = *line;
    for (; line > first; line--)
        *line = line[-1];
    *first = used;
    return first;
}

/* A line that was looked for and is not there: it takes the place of the last one where the set
 * is full, and goes to the front. */
static ifl_l1_line *add_to_set(ifl_l1 *l1, ifl_l1_sets *sets, const ifl_l1_key *key, uint64_t now,
                               ifl_l1_answer *answer)
{
    struct ifl_l1_set *set = sets->last;
    ifl_l1_line *first = first_of(sets, set);
    if (set->count < sets->ways) {
        set->count++;
    } else {
        const ifl_l1_line *victim = &first[sets->ways - 1];
        l1->evictions++;
        l1->ages += now - victim->touched;
        answer->written_back = victim->dirty;
        answer->victim = victim->number;
    }
    first[set->count - 1] = (ifl_l1_line){.line = key->line, .touched = now, .number = key->number};
    return use(first, &first[set->count - 1]);
}

/* ---- lines, in sets or by number ------------------------------------------------------------- */

/* Which of the two caches a load looks into. */
typedef enum which { MAIN, READ_ONLY, NEITHER } which;

static ifl_l1_sets *sets_of(ifl_l1 *l1, which cache)
{
    return cache == READ_ONLY ? &l1->read_only : &l1->lines;
}

static ifl_l1_line *find(ifl_l1 *l1, which cache, const ifl_l1_key *key)
{
    if (!l1->by_number[cache])
        return find_in_set(sets_of(l1, cache), key->line);
    ifl_l1_line *line = &l1->by_number[cache][key->number];
    return line->line == l1->owner ? line : NULL;
}

static ifl_l1_line *find_recent(ifl_l1 *l1, which cache, const ifl_l1_key *key, uint64_t now)
{
    ifl_l1_line *found = find(l1, cache, key);
    if (!found || !l1->by_number[cache])
        return found;
    const uint64_t age = now - found->touched;
    if (age > l1->age_limit) {
        found->valid = 0;
        found->stored = found->given = 0;
        l1->same_to = age <= l1->same_to ? age - 1 : l1->same_to;
    } else if (age > l1->same_from) {
        l1->same_from = age;
    }
    return found;
}

/* A line that was just found. */
static ifl_l1_line *touch(ifl_l1 *l1, which cache, ifl_l1_line *line, uint64_t now)
{
    line->touched = now;
    if (l1->by_number[cache])
        return line;
    const ifl_l1_sets *sets = sets_of(l1, cache);
    return use(first_of(sets, sets->last), line);
}

static ifl_l1_line *add(ifl_l1 *l1, which cache, const ifl_l1_key *key, uint64_t now,
                        ifl_l1_answer *answer)
{
    if (!l1->by_number[cache])
        return add_to_set(l1, sets_of(l1, cache), key, now, answer);
    ifl_l1_line *line = &l1->by_number[cache][key->number];
    *line = (ifl_l1_line){.line = l1->owner, .touched = now, .number = key->number};
    return line;
}

/* ---- requests -------------------------------------------------------------------------------- */

static which cache_of(const ifl_cache_rules *rules, ifl_path path)
{
    if (path == IFL_PATH_PAST || path == IFL_PATH_BYPASS)
        return NEITHER;
    if (path == IFL_PATH_LOCAL)
        return MAIN;
    if (path == IFL_PATH_READ_ONLY && rules->read_only_kib)
        return READ_ONLY;
    const bool is_asked = path == IFL_PATH_ASKED;
    return rules->loads == IFL_L1_LOADS_ALWAYS || (rules->loads == IFL_L1_LOADS_ASKED && is_asked)
               ? MAIN
               : NEITHER;
}

/* Document 004: a load past the L1 of these GPUs throws out the line that is there. */
static void throw_out(ifl_l1 *l1, const ifl_l1_key *key)
{
    ifl_l1_line *found = l1->rules->stores_invalidate ? find(l1, MAIN, key) : NULL;
    if (found)
        found->valid = 0;
}

/* ---- words that were stored ------------------------------------------------------------------ */

enum { SECTOR_WORDS = IFL_SECTOR_BYTES / 4, ALL_WORDS = (1 << SECTOR_WORDS) - 1 };

static uint32_t words_of(uint8_t sector)
{
    return (uint32_t)ALL_WORDS << sector * SECTOR_WORDS;
}

/* Sectors that are not there, but of which all words that are asked for were stored. */
static uint8_t give_stored(ifl_l1_line *line, const ifl_l1_key *key, uint8_t sectors)
{
    uint8_t given = 0;
    for (uint32_t left = line->stored ? sectors & (uint8_t)~line->valid : 0; left;
         left &= left - 1) {
        const uint8_t s = (uint8_t)__builtin_ctz(left);
        const uint32_t asked = key->words & words_of(s);
        given |= (uint8_t)((asked && !(asked & ~line->stored)) << s);
    }
    line->given |= given;
    return given;
}

/* A sector that stores fill part by part, and of which nothing was loaded meanwhile, is not there
 * when it is full (stored_probe, docs/caches.md). */
static void keep_stored(ifl_l1_line *line, const ifl_l1_key *key, uint8_t sectors)
{
    for (uint32_t left = key->words ? sectors & (uint8_t)~line->valid : 0; left; left &= left - 1) {
        const uint8_t s = (uint8_t)__builtin_ctz(left);
        line->stored |= key->words & words_of(s);
        if (!(words_of(s) & ~line->stored) && !(line->given >> s & 1))
            line->stored &= ~words_of(s);
    }
}

static uint8_t missing(const ifl_cache_rules *rules, which cache, uint8_t sectors, uint8_t valid)
{
    const bool takes_line = cache == MAIN && rules->fetched_sectors == IFL_LINE_SECTORS;
    const bool has_all = !(sectors & ~valid);
    return (takes_line && !has_all ? ALL_SECTORS : sectors) & (uint8_t)~valid;
}

uint8_t ifl_l1_miss(const ifl_cache_rules *rules, uint8_t sectors, ifl_path path)
{
    return missing(rules, cache_of(rules, path), sectors, 0);
}

void ifl_l1_expect(const ifl_l1 *l1, uint32_t number)
{
    if (l1->by_number[MAIN])
        __builtin_prefetch(&l1->by_number[MAIN][number]);
}

ifl_l1_answer ifl_l1_load(ifl_l1 *l1, const ifl_l1_key *key, uint8_t sectors, ifl_path path,
                          uint64_t now)
{
    ifl_l1_answer answer = {.fetched = sectors};
    const which cache = cache_of(l1->rules, path);
    if (cache == NEITHER) {
        throw_out(l1, key);
        return answer;
    }
    ifl_l1_line *found = find_recent(l1, cache, key, now);
    answer.given = found ? give_stored(found, key, sectors) : 0;
    answer.hits = found ? (found->valid & sectors) | answer.given : 0;
    answer.fetched = missing(l1->rules, cache, sectors, found ? found->valid | answer.given : 0);
    if (found)
        found = touch(l1, cache, found, now);
    else if (path != IFL_PATH_NO_ALLOCATE)
        found = add(l1, cache, key, now, &answer);
    if (found && path != IFL_PATH_NO_ALLOCATE)
        found->valid |= answer.fetched;
    return answer;
}

/* What a store makes of the line that is there, or of a new one. */
static void store_in(const ifl_l1 *l1, ifl_l1_line *line, const ifl_l1_key *key, uint8_t sectors,
                     uint8_t whole, bool is_local)
{
    if (!is_local && l1->rules->stores_invalidate)
        line->valid = 0;
    else
        line->valid |= is_local ? sectors : whole;
    if (l1->rules->stores_allocate)
        keep_stored(line, key, sectors);
    if (is_local && l1->rules->local_is_written_back)
        line->dirty |= sectors;
}

ifl_l1_answer ifl_l1_store(ifl_l1 *l1, const ifl_l1_key *key, uint8_t sectors, uint8_t whole,
                           ifl_path path, uint64_t now, bool *stays)
{
    ifl_l1_answer answer = {0};
    const bool is_local = path == IFL_PATH_LOCAL;
    ifl_l1_line *found = find_recent(l1, MAIN, key, now);
    *stays = is_local && l1->rules->local_is_written_back;
    if (found && (is_local || !l1->rules->stores_invalidate))
        found = touch(l1, MAIN, found, now);
    else if (!found && (is_local || l1->rules->stores_allocate))
        found = add(l1, MAIN, key, now, &answer);
    if (found)
        store_in(l1, found, key, sectors, whole, is_local);
    return answer;
}

void ifl_l1_atomic(ifl_l1 *l1, const ifl_l1_key *key)
{
    ifl_l1_line *found = find(l1, MAIN, key);
    if (found)
        found->valid = found->given = found->stored = 0;
}
