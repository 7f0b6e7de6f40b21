/* SPDX-License-Identifier: Apache-2.0
 * Which word each thread of load_granularity.cu has to bring, for each pattern. */
#include "lab_reference.h"

#include <string.h>

enum { LANES = 32 };

static uint32_t shuffled(uint32_t line, int bits)
{
    const uint32_t mask = (1u << bits) - 1;
    line = line * 0x85ebca6bu & mask;
    line ^= line >> (bits + 1) / 2;
    line = line * 0xc2b2ae35u & mask;
    return line ^ line >> (bits + 1) / 2;
}

static uint32_t scattered(uint32_t i, int bits)
{
    const uint32_t line = shuffled(i & ((1u << bits) - 1), bits);
    return line * LANES + ((i >> bits) + line) % LANES;
}

typedef uint32_t word_of(uint32_t i, int bits);

static uint32_t aligned(uint32_t i, int bits)
{
    (void)bits;
    return i;
}

static uint32_t permuted(uint32_t i, int bits)
{
    (void)bits;
    return i ^ 21;
}

static uint32_t misaligned(uint32_t i, int bits)
{
    (void)bits;
    return i + 1;
}

static uint32_t one_word(uint32_t i, int bits)
{
    (void)bits;
    return i / LANES * LANES;
}

/* By the first letters of the version: its other half says past which cache it goes. */
static word_of *pattern_of(const char *version)
{
    static const struct {
        const char *begin;
        word_of *word;
    } patterns[] = {{"permuted", permuted},
                    {"misaligned", misaligned},
                    {"one_word", one_word},
                    {"scattered", scattered}};
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
        if (strncmp(version, patterns[k].begin, strlen(patterns[k].begin)) == 0)
            return patterns[k].word;
    return aligned;
}

LAB_REFERENCE(load_granularity)
{
    const int bits = (int)lab_integer(run, 0);
    const uint32_t *in = lab_data(run, 1);
    uint32_t *out = lab_data(run, 2);
    word_of *const word = pattern_of(run->version);
    const size_t count = lab_count(run, 2);
#pragma omp parallel for
    for (size_t i = 0; i < count; i++)
        out[i] = in[word((uint32_t)i, bits)];
}
