// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other through memory: a lock that every lane takes, one whose losers
// count their attempts, a queue of lanes, blocks in the order of their numbers and against it,
// prefix sums by looking back. The lines below are the test of the PTX beside this file, whose head
// tools/make-lab copies from here.
//
// launch: -k lock -g 4 -b 64 u32x1=zero u32x1=zero
// one count a thread; the lock is free again
// expect: arg0[0] = 0
// expect: arg1[0] = 256
//
// launch: -k lock_and_count -g 2 -b 40 u32x1=zero u32x1=zero u32x1=zero
// expect: arg0[0] = 0
// expect: arg1[0] = 80
//
// launch: -k tickets -g 1 -b 64 u32x1=zero u32x1=zero u32x64=zero
// expect: arg0[0] = 64
// expect: arg1[0] = 64
// expect: arg2[0] = 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 63 66 69 72 75 78 81
// expect: arg2[28] = 84 87 90 93 96 99 102 105 108 111 114 117 120 123 126 129 132 135 138 141 144
// expect: arg2[49] = 147 150 153 156 159 162 165 168 171 174 177 180 183 186 189
//
// launch: -k lanes_in_turn -g 1 -b 32 u32x33=zero
// expect: arg0[0] = 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5
// expect: arg0[28] = 4 3 2 1 0
//
// launch: -k blocks_in_order -g 9 -b 32 u32x9=zero
// each is three times the one before, plus 1
// expect: arg0[0] = 1 4 13 40 121 364 1093 3280 9841
//
// launch: -k blocks_against_order -g 9 -b 32 u32x9=zero
// expect: arg0[0] = 1 4 13 40 121 364 1093 3280 9841
//
// launch: -k prefix_sums -g 20 -b 64 u32x20=zero u64x20=zero u32x1=zero
// expect: arg0[0] = 8696 16536 24006 32102 40583 48613 57609 65494 74142 81356 89705 97796 107007
// expect: arg0[13] = 114349 122908 131717 140096 149015 157322 165106
// expect: arg2[0] = 20

#include "hash.h"

extern "C" __global__ void lock(unsigned *taken, unsigned *count)
{
    for (bool done = false; !done;)
        if (atomicCAS(taken, 0, 1) == 0) {
            *(volatile unsigned *)count = *(volatile unsigned *)count + 1;
            __threadfence();
            atomicExch(taken, 0);
            done = true;
        }
}

// The lane that has the lock waits for the others behind the loop, who wait for it, and write while they do.
extern "C" __global__ void lock_and_count(unsigned *taken, unsigned *count, unsigned *attempts)
{
    while (atomicCAS(taken, 0, 1) != 0)
        atomicAdd(attempts, 1);
    *(volatile unsigned *)count = *(volatile unsigned *)count + 1;
    __threadfence();
    atomicExch(taken, 0);
}

extern "C" __global__ void tickets(volatile unsigned *serving, unsigned *next, unsigned *order)
{
    unsigned mine = atomicAdd(next, 1);
    while (*serving != mine)
        continue;
    order[mine] = mine * 3;
    __threadfence();
    *serving = mine + 1;
}

// Lane i waits for lane i + 1.
extern "C" __global__ void lanes_in_turn(unsigned *done)
{
    unsigned t = threadIdx.x;
    if (t < 31)
        while (atomicAdd(&done[t + 1], 0) == 0)
            continue;
    atomicExch(&done[t], t < 31 ? atomicAdd(&done[t + 1], 0) + 1 : 1);
}

static __device__ void pass_on(volatile unsigned *value, unsigned place)
{
    unsigned before = 0;
    while (place && (before = value[place - 1]) == 0)
        continue;
    value[place] = before * 3 + 1;
}

extern "C" __global__ void blocks_in_order(unsigned *value)
{
    if (threadIdx.x == 0)
        pass_on(value, blockIdx.x);
}

extern "C" __global__ void blocks_against_order(unsigned *value)
{
    if (threadIdx.x == 0)
        pass_on(value, gridDim.x - 1 - blockIdx.x);
}

// The upper bits of a block's state: 1, its own sum is there; 2, the sum of all up to it.
static __device__ unsigned look_back(volatile unsigned long long *state, unsigned block,
                                     unsigned own)
{
    unsigned before = 0;
    state[block] = (block ? 1ull : 2ull) << 62 | own;
    for (unsigned b = block; b-- > 0;) {
        unsigned long long seen;
        while (((seen = state[b]) >> 62) == 0)
            continue;
        before += unsigned(seen);
        if (seen >> 62 == 2)
            break;
    }
    if (block)
        state[block] = 2ull << 62 | (before + own);
    return before;
}

extern "C" __global__ void prefix_sums(unsigned *last, unsigned long long *state, unsigned *next)
{
    __shared__ unsigned sum[64], block, before;
    unsigned t = threadIdx.x;
    if (t == 0)
        block = atomicAdd(next, 1);
    __syncthreads();
    sum[t] = hash(block * 64 + t) & 0xff;
    __syncthreads();
    for (unsigned step = 1; step < 64; step *= 2) {
        unsigned left = t >= step ? sum[t - step] : 0;
        __syncthreads();
        sum[t] += left;
        __syncthreads();
    }
    if (t == 0)
        before = look_back(state, block, sum[63]);
    __syncthreads();
    if (t == 63)
        last[block] = before + sum[t];
}
