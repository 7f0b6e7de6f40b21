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

static bool is(const lab_run *run, const char *pattern)
{
    return strncmp(run->version, pattern, strlen(pattern)) == 0;
}

static uint32_t word(const lab_run *run, uint32_t i, int bits)
{
    if (is(run, "permuted"))
        return i ^ 21;
    if (is(run, "misaligned"))
        return i + 1;
    if (is(run, "one_word"))
        return i / LANES * LANES;
    return is(run, "scattered") ? scattered(i, bits) : i;
}

LAB_REFERENCE(load_granularity)
{
    const int bits = (int)lab_integer(run, 0);
    const uint32_t *in = lab_data(run, 1);
    uint32_t *out = lab_data(run, 2);
    for (uint32_t i = 0; i < lab_count(run, 2); i++)
        out[i] = in[word(run, i, bits)];
}
