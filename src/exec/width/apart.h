/* SPDX-License-Identifier: Apache-2.0
 * Lanes that are far apart, as those of a gather: each in a line of its own. Then all that remains
 * to be found out about a request is how its words share the banks. Compiled for each vector
 * width. */
#ifndef IFL_EXEC_WIDTH_APART_H
#define IFL_EXEC_WIDTH_APART_H

#include "exec/width/dispatch.h"

/* Vectors no longer than the machine's: of longer ones gcc compares element by element. */
#if defined __AVX512BW__
#define IFL_SHORTS_TOGETHER 32
#define IFL_BYTES_TOGETHER 32
#elif defined __AVX2__
#define IFL_SHORTS_TOGETHER 16
#define IFL_BYTES_TOGETHER 32
#else
#define IFL_SHORTS_TOGETHER 8
#define IFL_BYTES_TOGETHER 16
#endif
typedef uint16_t ifl_lanes16 __attribute__((vector_size(2 * IFL_SHORTS_TOGETHER)));
typedef uint8_t ifl_lanes8 __attribute__((vector_size(IFL_BYTES_TOGETHER)));

/* Are no two of 32 numbers alike? They lie there twice, one after the other: lane i meets the lanes
 * behind it, up to the one on the other side of a circle. */
IFL_INLINE bool all_differ(const uint16_t twice[2 * IFL_WARP_LANES])
{
    ifl_lanes16 own, other, alike = {0};
    uint64_t any[sizeof alike / 8], found = 0;
    for (int from = 0; from < IFL_WARP_LANES; from += IFL_SHORTS_TOGETHER) {
        memcpy(&own, twice + from, sizeof own);
        _Pragma("GCC unroll 16") for (int d = 1; d <= IFL_WARP_LANES / 2; d++)
        {
            memcpy(&other, twice + from + d, sizeof other);
            alike |= (ifl_lanes16)(own == other);
        }
    }
    memcpy(any, &alike, sizeof any);
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        found |= any[i];
    return !found;
}

/* How many are like the one that most are like? */
IFL_INLINE uint8_t most_alike(const uint8_t twice[2 * IFL_WARP_LANES])
{
    uint8_t counts[IFL_WARP_LANES], most = 0;
    for (int from = 0; from < IFL_WARP_LANES; from += IFL_BYTES_TOGETHER) {
        ifl_lanes8 own, other, count = {0};
        memcpy(&own, twice + from, sizeof own);
        _Pragma("GCC unroll 31") for (int d = 1; d < IFL_WARP_LANES; d++)
        {
            memcpy(&other, twice + from + d, sizeof other);
            count -= (ifl_lanes8)(own == other); /* -1 where they are */
        }
        memcpy(counts + from, &count, sizeof count);
    }
    _Pragma("omp simd reduction(max:most)") IFL_EACH_LANE(i) most =
        counts[i] > most ? counts[i] : most;
    return (uint8_t)(most + 1);
}

/* Of words: their lines and banks, twice. Written some time before they are looked at, since what is
 * read there reaches over several of these stores and waits for them. */
typedef struct words_apart {
    uint16_t line
        [2 *
         IFL_WARP_LANES]; /* lower 16 bits: of lines that have those in common nothing is known */
    uint8_t bank[2 * IFL_WARP_LANES];
} words_apart;

IFL_INLINE void put_words(words_apart *to, const uint64_t *address)
{
    enum { WORD = 4, BANKS = IFL_LINE_BYTES / WORD };
    IFL_SIMD IFL_EACH_LANE(i)
    {
        to->line[i] = (uint16_t)(address[i] / IFL_LINE_BYTES);
        to->bank[i] = (uint8_t)(address[i] / WORD % BANKS);
    }
    memcpy(to->line + IFL_WARP_LANES, to->line, sizeof to->line / 2);
    memcpy(to->bank + IFL_WARP_LANES, to->bank, sizeof to->bank / 2);
}

/* ifl_access.apart: the passes that they take. */
IFL_INLINE uint8_t passes_apart(const words_apart *words)
{
    return all_differ(words->line) ? most_alike(words->bank) : 0;
}

#endif
