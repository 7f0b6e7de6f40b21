/* SPDX-License-Identifier: Apache-2.0
 * Which divisions of floats take their long way (FCHK), by the cycles that each takes: all pairs of exponents, with several mantissas.
 * Prints tests/gpu/h200/fchk.txt's lines; status 1: mantissas matter.
 *     nvcc -arch=sm_90 -O3 -o division_probe division_probe.cu; division_probe > fchk.txt */
#include <cstdint>
#include <cstdio>
#include <cstring>

enum { EXPONENTS = 256, PAIRS = EXPONENTS * EXPONENTS, LONG_CYCLES = 120 /* the short way takes 45, the long one 180 or more */ };

__global__ void probe(uint32_t of_a, uint32_t of_b, uint8_t *is_long, float *sink)
{
    const float x = __uint_as_float((blockIdx.x / EXPONENTS) << 23 | of_a), y = __uint_as_float((blockIdx.x % EXPONENTS) << 23 | of_b);
    const float first = 3.f / (y * 0.f + 1.f + x * 0.f); /* brings the code */
    long long begin, end;
    asm volatile("mov.u64 %0, %clock64;" : "=l"(begin)::"memory");
    const float quotient = x / y;
    asm volatile("mov.u64 %0, %clock64;" : "=l"(end) : "f"(quotient) : "memory");
    is_long[blockIdx.x] = end - begin > LONG_CYCLES;
    sink[blockIdx.x] = quotient + first;
}

int main()
{
    static const uint32_t mantissas[][2] = {{0, 0}, {1, 0x123456}, {0x400000, 0x2aaaaa}, {0x7fffff, 0x7fffff}, {0, 0x7fffff}, {0x7fffff, 0}};
    static uint8_t found[PAIRS];
    uint8_t *is_long;
    float *sink;
    cudaMallocManaged(&is_long, PAIRS);
    cudaMalloc(&sink, PAIRS * sizeof *sink);
    for (const auto &pair : mantissas) {
        for (int warm = 0; warm < 2; warm++)
            probe<<<PAIRS, 1>>>(pair[0], pair[1], is_long, sink);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return 5;
        if (&pair != mantissas && memcmp(found, is_long, PAIRS) != 0)
            return 1;
        memcpy(found, is_long, PAIRS);
    }
    for (int a = 0; a < EXPONENTS; a++) {
        printf("%d:", a);
        for (int b = 0; b <= EXPONENTS; b++) {
            const bool now = b < EXPONENTS && found[a * EXPONENTS + b], before = b > 0 && found[a * EXPONENTS + b - 1];
            if (now && !before)
                printf(" %d", b);
            if (before && !now)
                printf(" %d", b - 1);
        }
        printf("\n");
    }
    return 0;
}
