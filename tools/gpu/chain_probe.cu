/* SPDX-License-Identifier: Apache-2.0
 * Blocks that wait for what others of their grid store: chains, look-back, barriers made by hand, locks, producers and consumers.
 * Run by tools/gpu-patterns; tools/patterns-judge compares.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o chain_probe chain_probe.cu; chain_probe */
#include "cuda_check.h"

#include <cuda/atomic>

#include <cstdio>
#include <cstdlib>

static constexpr int SMS = 132, MOST = 1 << 22;
static unsigned *words, *data, *out;

static __device__ unsigned look(const unsigned *at)
{
    return *(const volatile unsigned *)at;
}

/* Each block goes on where the one before it ended; a flag tells. */
__global__ void chain_flag(unsigned *flag, unsigned *sum, unsigned *p)
{
    __shared__ unsigned before;
    const unsigned b = blockIdx.x;
    const unsigned v = p[b * blockDim.x + threadIdx.x];
    if (threadIdx.x == 0) {
        while (b && !look(flag + b - 1))
            ;
        __threadfence();
        before = b ? look(sum + b - 1) : 0;
        *(volatile unsigned *)(sum + b) = before + 1;
        __threadfence();
        *(volatile unsigned *)(flag + b) = 1;
    }
    __syncthreads();
    p[b * blockDim.x + threadIdx.x] = v + before;
}

/* The value itself tells; blocks number themselves. */
__global__ void chain_value(unsigned *value, unsigned *ticket, unsigned *p)
{
    __shared__ unsigned before, b;
    if (threadIdx.x == 0)
        b = atomicAdd(ticket, 1);
    __syncthreads();
    const unsigned v = p[b * blockDim.x + threadIdx.x];
    const int some = __syncthreads_count(v & 1);
    if (threadIdx.x == 0) {
        before = 1;
        if (b)
            while (!(before = look(value + b - 1)))
                ;
        *(volatile unsigned *)(value + b) = before + some;
    }
    __syncthreads();
    p[b * blockDim.x + threadIdx.x] = v + before;
}

/* The counter of an atomic instead of flags (merge of floats in order). */
__global__ void chain_turn(unsigned *turn, unsigned *p)
{
    if (threadIdx.x == 0)
        while (atomicAdd(turn, 0) != blockIdx.x)
            ;
    __syncthreads();
    p[threadIdx.x] += blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(turn, 1);
}

/* One thread looks back block by block: sums of blocks, then of all before. Upper bits: 1 a sum, 2 all. */
__global__ void look_back(unsigned long long *status, unsigned *ticket, unsigned *p, int each)
{
    __shared__ unsigned long long before;
    __shared__ unsigned b;
    using flag = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
    if (threadIdx.x == 0)
        b = atomicAdd(ticket, 1);
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < each; i++)
        sum += p[(b * each + i) * blockDim.x + threadIdx.x] & 1;
    sum = __syncthreads_count(sum & 1);
    if (threadIdx.x == 0) {
        const unsigned long long one = 1ull << 62, all = 1ull << 63;
        unsigned long long total = 0;
        flag(status[b]).store((b ? one : all) | sum, cuda::memory_order_release);
        for (int at = (int)b - 1; at >= 0; at--) {
            unsigned long long v;
            while (!((v = flag(status[at]).load(cuda::memory_order_acquire)) >> 62))
                ;
            total += v & (one - 1);
            if (v & all)
                break;
        }
        if (b)
            flag(status[b]).store(all | (total + sum), cuda::memory_order_release);
        before = total;
    }
    __syncthreads();
    for (int i = 0; i < each; i++)
        p[(b * each + i) * blockDim.x + threadIdx.x] += (unsigned)before;
}

/* All blocks meet, so many times. */
__global__ void meet(unsigned *count, unsigned *p, int times)
{
    for (int t = 1; t <= times; t++) {
        p[(blockIdx.x * 977 + t) % gridDim.x * blockDim.x + threadIdx.x] += t;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1);
            while (look(count) < t * gridDim.x)
                ;
            __threadfence();
        }
        __syncthreads();
    }
}

/* Locks: one thread of each block adds under one of `locks`. */
__global__ void lock(unsigned *locks, unsigned *sums, int count, int times)
{
    if (threadIdx.x)
        return;
    for (int t = 0; t < times; t++) {
        const unsigned at = (blockIdx.x + t) % count * 32;
        while (atomicCAS(locks + at, 0, 1))
            ;
        __threadfence();
        *(volatile unsigned *)(sums + at) += 1;
        __threadfence();
        atomicExch(locks + at, 0);
    }
}

/* Blocks of the upper half take what those of the lower half made. */
__global__ void hand_over(unsigned *flag, unsigned *p, int pieces)
{
    const unsigned half = gridDim.x / 2, b = blockIdx.x % half;
    for (int i = 0; i < pieces; i++) {
        unsigned *piece = p + (b * pieces + i) * blockDim.x;
        if (blockIdx.x < half) {
            piece[threadIdx.x] = i + threadIdx.x;
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0)
                *(volatile unsigned *)(flag + b * 32) = i + 1;
        } else {
            if (threadIdx.x == 0)
                while (look(flag + b * 32) < i + 1)
                    ;
            __syncthreads();
            __threadfence();
            piece[threadIdx.x] += look(piece + threadIdx.x) / 3;
        }
    }
}

/* Rows of tiles, each of which needs the one above: a block has a row and tells how far it is. */
__global__ void wavefront(unsigned *progress, unsigned *p, int columns)
{
    unsigned v = threadIdx.x;
    for (int c = 0; c < columns; c++) {
        if (threadIdx.x == 0 && blockIdx.x)
            while (look(progress + blockIdx.x - 1) <= c)
                ;
        __syncthreads();
        if (blockIdx.x)
            v = v * 3 + look(p + ((blockIdx.x - 1) * columns + c) * blockDim.x + threadIdx.x);
        p[(blockIdx.x * columns + c) * blockDim.x + threadIdx.x] = v;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *(volatile unsigned *)(progress + blockIdx.x) = c + 1;
    }
}

/* The last block to end adds what all others left: nobody waits. */
__global__ void last(unsigned *count, unsigned *sums, unsigned *p, int each)
{
    __shared__ bool is_last;
    unsigned sum = 0;
    for (int i = 0; i < each; i++)
        sum += p[(blockIdx.x * each + i) * blockDim.x + threadIdx.x];
    if (threadIdx.x == 0) {
        *(volatile unsigned *)(sums + blockIdx.x) = sum;
        __threadfence();
        is_last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; is_last && i < gridDim.x; i += blockDim.x)
        sum += look(sums + i);
    if (is_last)
        sums[threadIdx.x] = sum;
}

static void clear()
{
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemset(words, 0, MOST * sizeof *words));
}

int main()
{
    for (unsigned **array : {&words, &data, &out})
        CHECK(cudaMalloc(array, MOST * sizeof **array));
    CHECK(cudaMemset(data, 0x11, MOST * sizeof *data));
    for (int blocks : {64, 264, 1024, 4096})
        for (int threads : {32, 256}) {
            clear(), chain_flag<<<blocks, threads>>>(words, out, data);
            clear(), chain_value<<<blocks, threads>>>(words, words + MOST / 2, data);
        }
    for (int blocks : {32, 132, 528})
        clear(), chain_turn<<<blocks, 128>>>(words, data);
    for (int blocks : {64, 264, 1024, 4096})
        for (int each : {1, 4})
            clear(), look_back<<<blocks, 256>>>((unsigned long long *)words, words + MOST / 2, data, each);
    for (int blocks : {32, SMS, 4 * SMS})
        for (int times : {4, 32})
            clear(), meet<<<blocks, 128>>>(words, data, times);
    for (int blocks : {8, 64, 512})
        for (int locks : {1, 16})
            clear(), lock<<<blocks, 32>>>(words, out, locks, 4);
    for (int blocks : {16, 2 * SMS})
        for (int pieces : {4, 32})
            clear(), hand_over<<<blocks, 128>>>(words, data, pieces);
    for (int blocks : {16, SMS})
        for (int columns : {8, 64})
            clear(), wavefront<<<blocks, 128>>>(words, data, columns);
    for (int blocks : {64, 1024})
        clear(), last<<<blocks, 256>>>(words, out, data, 4);
    clear();
    return 0;
}
