// SPDX-License-Identifier: Apache-2.0
// A probe of latencies: one kernel, grid and block with twenty sets of arguments, that are as long by their counts and are not
// by where the caches have what they load. Rings of ten sizes, walked twice in another order of lines.
#include "check.h"

__global__ void walk(const int *from, int *to, int mask, int steps, int stride)
{
    int at = 0;
    for (int i = 0; i < steps; i++)
        at = (at + from[at] + stride) & mask;
    *to = at;
}

static float time_of(const int *from, int *to, int lines, int stride)
{
    enum { WORDS = 32, STEPS = 2000 }; // of a line
    cudaEvent_t begin, end;
    float ms;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    walk<<<1, 1>>>(from, to, lines * WORDS - 1, STEPS, stride * WORDS);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return ms;
}

int main()
{
    enum { SIZES = 10, SMALLEST = 8, BYTES = 1 << 20 };
    int *from, *to, alike = 0;
    float first[SIZES];
    CHECK(cudaMalloc(&from, BYTES));
    CHECK(cudaMalloc(&to, sizeof *to));
    CHECK(cudaMemset(from, 0, BYTES));
    walk<<<1, 1>>>(from, to, 0, 0, 0);
    for (int i = 0; i < SIZES; i++)
        first[i] = time_of(from, to, SMALLEST << i, 1);
    for (int i = 0; i < SIZES; i++) {
        const float again = time_of(from, to, SMALLEST << i, 3);
        alike += again > first[i] * 0.8f && again < first[i] * 1.25f;
    }
    printf("the largest takes longer: %d; alike: %d of %d\n", first[SIZES - 1] > 4 * first[0], alike, SIZES);
    return 0;
}
