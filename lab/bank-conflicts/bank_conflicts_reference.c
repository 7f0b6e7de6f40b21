/* SPDX-License-Identifier: Apache-2.0
 * The sums of bank_conflicts.cu, bit for bit: words in the order in which a thread reads them. */
#include "lab_reference.h"

#include <string.h>

enum { LANES = 32, TILE_WORDS = 33 * 32 * 2 };

static int word_of(const char *pattern, int lane)
{
    const int row = lane % 4;
    if (strcmp(pattern, "permuted") == 0)
        return lane ^ 21;
    if (strcmp(pattern, "same_word") == 0)
        return lane / 4;
    if (strcmp(pattern, "two_way") == 0)
        return lane * 2;
    if (strcmp(pattern, "three_way") == 0)
        return lane / 4 + LANES * (row > 0 ? row - 1 : 0);
    return lane;
}

static float sum_of_words(const float *tile, int at, long long reads)
{
    float sum = 0;
    for (long long k = 0; k < reads; k++)
        sum += tile[at + k % LANES * LANES];
    return sum;
}

/* The tile's bytes as doubles, as the kernel takes them. */
static float sum_of_column(const float *tile, int at, long long reads)
{
    double doubles[TILE_WORDS / 2], sum = 0;
    memcpy(doubles, tile, sizeof doubles);
    for (long long k = 0; k < reads; k++)
        sum += doubles[at + k % LANES];
    return (float)sum;
}

LAB_REFERENCE(bank_conflicts)
{
    const long long reads = lab_integer(run, 0);
    const float *in = lab_data(run, 1);
    float *out = lab_data(run, 2), of_lane[LANES];
    const bool column = strncmp(run->version, "column", 6) == 0;
    const int width = strcmp(run->version, "column_padded") == 0 ? LANES + 1 : LANES;
    for (int lane = 0; lane < LANES; lane++)
        of_lane[lane] = column ? sum_of_column(in, lane * width, reads)
                               : sum_of_words(in, word_of(run->version, lane), reads);
    const size_t count = lab_count(run, 2);
#pragma omp parallel for
    for (size_t i = 0; i < count; i++)
        out[i] = of_lane[i % LANES];
}
