/* SPDX-License-Identifier: Apache-2.0
 * A cache of sectored lines, in sets, that throws out the line of the set unused for longest. Knows lines by number and
 * what is said of their sectors; whose cache it is, and by which rules, is for cache_levels.c. */
#ifndef IFL_OBSERVE_LRU_H
#define IFL_OBSERVE_LRU_H

#include "arch/units.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ifl_lru_line {
    uint64_t line;
    uint64_t touched; /* when it was last used */
    uint64_t ends;    /* its contents mean nothing from then on; UINT64_MAX: they always do */
    uint32_t newer, older, chain; /* 1 + index, 0 for none */
    uint8_t valid, dirty;         /* a bit a sector */
    uint8_t written[IFL_LINE_SECTORS]; /* bytes of a sector that is dirty and not valid */
} ifl_lru_line;

typedef struct ifl_lru_set {
    uint32_t count;
    uint32_t newest, oldest; /* 1 + index */
} ifl_lru_set;

typedef struct ifl_lru {
    ifl_lru_line *at; /* set s has its lines from s × ways on, as many as its count says */
    ifl_lru_set *set;
    uint32_t *bucket;
    uint32_t bucket_mask;
    uint32_t ways, set_count;
    uint32_t share; /* of the lines that there are, only every 2^share-th comes: see ifl_line_place */
} ifl_lru;

/* A line can be anywhere. At least one line. False without memory; freed by ifl_lru_free in every case. */
bool ifl_lru_init(ifl_lru *cache, uint32_t lines);
/* A line can be in about `ways` places, those of its set, so that all sets have `lines` together but for rounding; lines
 * in a row are spread evenly over the sets. */
bool ifl_lru_init_sets(ifl_lru *cache, uint32_t lines, uint32_t ways, uint32_t share);
void ifl_lru_free(ifl_lru *cache);
/* Places for lines, and the line that is in one, NULL for none. */
uint32_t ifl_lru_places(const ifl_lru *cache);
ifl_lru_line *ifl_lru_at(const ifl_lru *cache, uint32_t place);
/* NULL when the cache does not hold it. Valid until the next ifl_lru_add. */
ifl_lru_line *ifl_lru_find(const ifl_lru *cache, uint64_t line);
/* The line becomes the newest. */
void ifl_lru_touch(ifl_lru *cache, ifl_lru_line *line, uint64_t now);
/* A line that the cache does not hold, without valid sectors, as the newest. True where another
 * had to go: it is then in *victim. */
bool ifl_lru_add(ifl_lru *cache, uint64_t line, uint64_t now, ifl_lru_line **added,
                 ifl_lru_line *victim);

/* Spreads line numbers over all 64 bits, as if by chance. */
static inline uint64_t ifl_line_hash(uint64_t line)
{
    /* The finaliser of MurmurHash3 (A. Appleby, public domain). */
    line ^= line >> 33;
    line *= UINT64_C(0xff51afd7ed558ccd);
    line ^= line >> 33;
    line *= UINT64_C(0xc4ceb9fe1a85ec53);
    return line ^ line >> 33;
}

/* Spreads line numbers over all 64 bits, those of a row of lines evenly: multiples of the golden ratio. Its first bits
 * say whether a sample has the line, the next its set, so that a sample's sets are filled as evenly as all are. */
static inline uint64_t ifl_line_place(uint64_t line)
{
    enum { ROW_BITS = 20 };
    return line * UINT64_C(0x9e3779b97f4a7c15) + ifl_line_hash(line >> ROW_BITS);
}

#endif
