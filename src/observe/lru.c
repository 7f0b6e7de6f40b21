/* SPDX-License-Identifier: Apache-2.0
 * A hash table over an array of lines, and a list through the lines of each set from newest to oldest. */
#include "observe/lru.h"

#include <stdlib.h>

bool ifl_lru_init_sets(ifl_lru *cache, uint32_t lines, uint32_t ways, uint32_t share)
{
    uint32_t buckets = 1;
    ways = ways < 1 ? 1 : ways > lines && lines ? lines : ways;
    const uint32_t sets = lines > ways ? (uint32_t)(((uint64_t)lines + ways / 2) / ways) : 1;
    if (lines > ways) /* of few sets none may be lost */
        ways = (lines + sets / 2) / sets;
    while (buckets < sets * ways && buckets < UINT32_C(1) << 30)
        buckets *= 2;
    *cache = (ifl_lru){.ways = ways, .set_count = sets, .bucket_mask = buckets - 1, .share = share};
    cache->at = malloc((size_t)sets * ways * sizeof *cache->at);
    cache->set = calloc(sets, sizeof *cache->set);
    cache->bucket = calloc(buckets, sizeof *cache->bucket);
    return cache->at && cache->set && cache->bucket;
}

bool ifl_lru_init(ifl_lru *cache, uint32_t lines)
{
    return ifl_lru_init_sets(cache, lines, lines, 0);
}

void ifl_lru_free(ifl_lru *cache)
{
    free(cache->at);
    free(cache->set);
    free(cache->bucket);
    *cache = (ifl_lru){0};
}

static ifl_lru_set *set_of(const ifl_lru *cache, uint64_t line)
{
    if (cache->set_count == 1)
        return cache->set;
    const uint64_t place = ifl_line_place(line) << cache->share >> 32;
    return &cache->set[place * cache->set_count >> 32];
}

static uint32_t *bucket_of(const ifl_lru *cache, uint64_t line)
{
    return &cache->bucket[ifl_line_hash(line) & cache->bucket_mask];
}

ifl_lru_line *ifl_lru_find(const ifl_lru *cache, uint64_t line)
{
    for (uint32_t next = *bucket_of(cache, line); next; next = cache->at[next - 1].chain)
        if (cache->at[next - 1].line == line)
            return &cache->at[next - 1];
    return NULL;
}

uint32_t ifl_lru_places(const ifl_lru *cache)
{
    return cache->set_count * cache->ways;
}

ifl_lru_line *ifl_lru_at(const ifl_lru *cache, uint32_t place)
{
    return place % cache->ways < cache->set[place / cache->ways].count ? &cache->at[place] : NULL;
}

/* ---- the list by age ------------------------------------------------------------------------- */

static void unlink_line(const ifl_lru *cache, ifl_lru_set *set, const ifl_lru_line *line)
{
    *(line->newer ? &cache->at[line->newer - 1].older : &set->newest) = line->older;
    *(line->older ? &cache->at[line->older - 1].newer : &set->oldest) = line->newer;
}

static void link_newest(const ifl_lru *cache, ifl_lru_set *set, ifl_lru_line *line)
{
    uint32_t self = (uint32_t)(line - cache->at) + 1;
    line->newer = 0;
    line->older = set->newest;
    *(set->newest ? &cache->at[set->newest - 1].newer : &set->oldest) = self;
    set->newest = self;
}

void ifl_lru_touch(ifl_lru *cache, ifl_lru_line *line, uint64_t now)
{
    line->touched = now;
    if (!line->newer)
        return;
    ifl_lru_set *set = set_of(cache, line->line);
    unlink_line(cache, set, line);
    link_newest(cache, set, line);
}

/* ---- coming and going ------------------------------------------------------------------------ */

static void forget(ifl_lru *cache, const ifl_lru_line *line)
{
    uint32_t self = (uint32_t)(line - cache->at) + 1, *link = bucket_of(cache, line->line);
    while (*link != self)
        link = &cache->at[*link - 1].chain;
    *link = line->chain;
}

bool ifl_lru_add(ifl_lru *cache, uint64_t line, uint64_t now, ifl_lru_line **added,
                 ifl_lru_line *victim)
{
    ifl_lru_set *set = set_of(cache, line);
    const size_t first = (size_t)(set - cache->set) * cache->ways;
    const bool is_full = set->count == cache->ways;
    ifl_lru_line *place = &cache->at[is_full ? set->oldest - 1 : first + set->count++];
    if (is_full) {
        *victim = *place;
        forget(cache, place);
        unlink_line(cache, set, place);
    }
    uint32_t *bucket = bucket_of(cache, line);
    *place = (ifl_lru_line){
        .line = line, .touched = now, .ends = UINT64_MAX, .chain = *bucket};
    *bucket = (uint32_t)(place - cache->at) + 1;
    link_newest(cache, set, place);
    *added = place;
    return is_full;
}
