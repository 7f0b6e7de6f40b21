// SPDX-License-Identifier: Apache-2.0
// Swaps at addresses of which the compiler does not know the space: lanes of a warp that meet at one address of shared or
// global memory each find what the one before left there. The largest double by compare and swap, as libraries take it
// where the hardware has no such operation; tickets; a chain of exchanges, in which no value is lost or found twice.
#include "check.h"
#include <cstring>
#include <vector>

enum { THREADS = 128, BLOCKS = 8, PLACES = 5 };

static __device__ void raise(unsigned long long *at, double value)
{
    unsigned long long seen = *(volatile unsigned long long *)at;
    while (__longlong_as_double((long long)seen) < value) {
        const unsigned long long before = seen;
        seen = atomicCAS(at, before, (unsigned long long)__double_as_longlong(value));
        if (seen == before)
            break;
    }
}

static __device__ void take_ticket(unsigned long long *at)
{
    unsigned long long seen = 0, before;
    do {
        before = seen;
        seen = atomicCAS(at, before, before + 1);
    } while (seen != before);
}

// Per block: the largest of each place, tickets taken there, and the sum of what exchanges found and left.
__global__ void swaps(const double *values, unsigned long long *global, unsigned long long *out,
                      int in_shared)
{
    __shared__ unsigned long long inside[3 * PLACES];
    __shared__ unsigned long long found;
    const int i = threadIdx.x;
    unsigned long long *outside = global + blockIdx.x * 3 * PLACES;
    // 2: every second lane's place is in shared memory, the others' in global memory
    const bool is_inside = in_shared == 2 ? i / PLACES % 2 : in_shared;
    unsigned long long *at = is_inside ? inside : outside;
    if (i < 3 * PLACES)
        inside[i] = 0;
    if (i == 0)
        found = 0;
    __syncthreads();
    raise(at + i % PLACES, values[blockIdx.x * THREADS + i]);
    take_ticket(at + PLACES + i % PLACES);
    atomicAdd(&found, atomicExch(at + 2 * PLACES + i % PLACES, 1ull + i));
    __syncthreads();
    unsigned long long *to = out + blockIdx.x * (2 * PLACES + 1);
    if (i < PLACES) { // positive doubles are ordered as their bits are
        to[i] = max(inside[i], outside[i]);
        to[PLACES + i] = inside[PLACES + i] + outside[PLACES + i];
        atomicAdd(&found, inside[2 * PLACES + i] + outside[2 * PLACES + i]);
    }
    __syncthreads();
    if (i == 0)
        to[2 * PLACES] = found;
}

int main()
{
    const int results = BLOCKS * (2 * PLACES + 1);
    std::vector<double> values(BLOCKS * THREADS), wanted(results), got(results);
    std::vector<unsigned long long> zeros(BLOCKS * 3 * PLACES), bits(results);
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        values[i] = 0.5 + ((unsigned)i * 2654435761u >> 8) / 33554432.0;
        double *to = &wanted[i / THREADS * (2 * PLACES + 1)];
        const int t = i % THREADS;
        to[t % PLACES] = std::fmax(to[t % PLACES], values[i]);
        to[PLACES + t % PLACES] += 1;
        to[2 * PLACES] += 1 + t;
    }
    const char *names[] = {"global", "shared", "both"};
    int failures = 0;
    double *V = on_gpu(values.data(), values.size());
    for (int in_shared = 0; in_shared < 3; in_shared++) {
        unsigned long long *G = on_gpu(zeros.data(), zeros.size());
        unsigned long long *O = on_gpu(bits.data(), bits.size());
        swaps<<<BLOCKS, THREADS>>>(V, G, O, in_shared);
        CHECK(cudaGetLastError());
        from_gpu(bits.data(), O, bits.size());
        for (int i = 0; i < results; i++)
            if (i % (2 * PLACES + 1) < PLACES)
                memcpy(&got[i], &bits[i], sizeof got[i]);
            else
                got[i] = (double)bits[i];
        failures += compare(names[in_shared], got.data(), wanted.data(), results);
    }
    return failures;
}
