/* SPDX-License-Identifier: Apache-2.0
 * Lines of 128 bytes by number, and how their numbers are spread: over sets, halves and samples.
 * Knows nothing else. */
#ifndef IFL_CACHE_LINE_H
#define IFL_CACHE_LINE_H

#include <stdint.h>

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

/* Lines of a row are spread evenly among each other, rows as if by chance. */
enum { IFL_LINE_ROW_BITS = 20 };

static inline uint64_t ifl_line_place_in_row(uint64_t line, uint64_t row_hash)
{
    return line * UINT64_C(0x9e3779b97f4a7c15) + row_hash; /* multiples of the golden ratio */
}

/* Spreads line numbers over all 64 bits, those of a row of lines evenly. Its first bits say
 * whether a sample has the line, the next its set, so that a sample's sets are filled as evenly
 * as all are. */
static inline uint64_t ifl_line_place(uint64_t line)
{
    return ifl_line_place_in_row(line, ifl_line_hash(line >> IFL_LINE_ROW_BITS));
}

/* The same for many lines: those of a row need its hash only once. */
typedef struct ifl_line_row {
    uint64_t row, hash; /* zeroed: row 0, whose hash is 0 */
} ifl_line_row;

static inline uint64_t ifl_line_place_next(ifl_line_row *last, uint64_t line)
{
    if (line >> IFL_LINE_ROW_BITS != last->row) {
        last->row = line >> IFL_LINE_ROW_BITS;
        last->hash = ifl_line_hash(last->row);
    }
    return ifl_line_place_in_row(line, last->hash);
}

/* A sample of every 2^share-th line has those whose place is not above this. From 64 on it has
 * none but the place 0. */
static inline uint64_t ifl_line_most_place(uint32_t share)
{
    return share < 64 ? UINT64_MAX >> share : 0;
}

/* Of the two halves of an L2, the one where a line is at home. */
static inline uint32_t ifl_line_home(uint64_t line)
{
    enum { ANY_BIT = 20 }; /* neither those that a sample is taken by nor those of a hash table */
    return (uint32_t)(ifl_line_hash(line) >> ANY_BIT & 1);
}

/* A part of a sample of every 2^share-th line that is as good as any other part. */
enum { IFL_LINE_GROUPS = 16 };

static inline uint32_t ifl_line_group(uint64_t line, uint32_t share)
{
    return share < 60 ? (uint32_t)(ifl_line_place(line) >> (60 - share)) % IFL_LINE_GROUPS : 0;
}

/* Bits of four. */
static inline uint32_t ifl_sector_count(unsigned sectors)
{
    return (uint32_t)(UINT64_C(0x4332322132212110) >> (sectors & 0xf) * 4 & 0xf);
}

#endif
