/* SPDX-License-Identifier: Apache-2.0
 * A hash table over an array of lines, and a list through the same lines from newest to oldest. */
#include "observe/lru.h"

#include <stdlib.h>

bool ifl_lru_init(ifl_lru *cache, uint32_t capacity)
{
    uint32_t buckets = 1;
    while (buckets < capacity && buckets < UINT32_C(1) << 30)
        buckets *= 2;
    *cache = (ifl_lru){.capacity = capacity ? capacity : 1, .bucket_mask = buckets - 1};
    cache->at = malloc(cache->capacity * sizeof *cache->at);
    cache->bucket = calloc(buckets, sizeof *cache->bucket);
    return cache->at && cache->bucket;
}

void ifl_lru_free(ifl_lru *cache)
{
    free(cache->at);
    free(cache->bucket);
    *cache = (ifl_lru){0};
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

/* ---- the list by age ------------------------------------------------------------------------- */

static void unlink_line(ifl_lru *cache, ifl_lru_line *line)
{
    *(line->newer ? &cache->at[line->newer - 1].older : &cache->newest) = line->older;
    *(line->older ? &cache->at[line->older - 1].newer : &cache->oldest) = line->newer;
}

static void link_newest(ifl_lru *cache, ifl_lru_line *line)
{
    uint32_t self = (uint32_t)(line - cache->at) + 1;
    line->newer = 0;
    line->older = cache->newest;
    *(cache->newest ? &cache->at[cache->newest - 1].newer : &cache->oldest) = self;
    cache->newest = self;
}

void ifl_lru_touch(ifl_lru *cache, ifl_lru_line *line, uint64_t now)
{
    line->touched = now;
    if (!line->newer)
        return;
    unlink_line(cache, line);
    link_newest(cache, line);
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
    bool is_full = cache->count == cache->capacity;
    ifl_lru_line *place = &cache->at[is_full ? cache->oldest - 1 : cache->count++];
    if (is_full) {
        *victim = *place;
        forget(cache, place);
        unlink_line(cache, place);
    }
    uint32_t *bucket = bucket_of(cache, line);
    *place = (ifl_lru_line){
        .line = line, .touched = now, .ends = UINT64_MAX, .chain = *bucket};
    *bucket = (uint32_t)(place - cache->at) + 1;
    link_newest(cache, place);
    *added = place;
    return is_full;
}
