/* SPDX-License-Identifier: Apache-2.0
 * Pieces of 4 to 4,096 bytes of an array of 256 MiB, in order or at random, read, written, changed and counted at; atomics of all
 * blocks on few words; loads of a line a lane that the L1 has. One launch each, for src/time/; run it under Nsight Compute and under
 * `inflight run`, and compare the launches in order.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o scatter_probe scatter_probe.cu; scatter_probe */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

typedef unsigned int word;

/* A permutation of the numbers below 2^bits. */
static __device__ __forceinline__ word shuffled(word x, int bits)
{
    const word mask = (1u << bits) - 1;
    x = (x * 0x9e3779b1u) & mask;
    x ^= x >> (bits / 2 + 1);
    x = (x * 0x85ebca6bu) & mask;
    x ^= x >> (bits / 2);
    return x;
}

/* Where a thread's word lies: word `within` of a piece of W words; the 2^bits pieces are spread evenly over 64 Mi words. */
template <int W, bool random> static __device__ __forceinline__ long place(int bits)
{
    const word t = blockIdx.x * blockDim.x + threadIdx.x, piece = t / W, within = t % W;
    return ((long)(random ? shuffled(piece, bits) : piece) << (26 - bits)) + within;
}

template <int W, bool random> __global__ void load(const float *a, float *out, int bits)
{
    const float v = a[place<W, random>(bits)];
    if (v == 12345.678f)
        *out = v;
}
template <int W, bool random> __global__ void store(float *a, int bits)
{
    a[place<W, random>(bits)] = 1.5f;
}
template <int W, bool random> __global__ void change(float *a, int bits)
{
    a[place<W, random>(bits)] += 1.5f;
}
template <int W, bool random> __global__ void count(float *a, int bits)
{
    atomicAdd(&a[place<W, random>(bits)], 1.5f);
}
template <int W, bool random> __global__ void take(const float *a, float *b, int bits)
{
    b[blockIdx.x * blockDim.x + threadIdx.x] = a[place<W, random>(bits)];
}
template <int W, bool random> __global__ void put(const float *a, float *b, int bits)
{
    b[place<W, random>(bits)] = a[blockIdx.x * blockDim.x + threadIdx.x];
}

/* Every warp adds `times` to one of `words` words that lie `apart` words from each other: one lane, or all lanes to the same word. */
template <class T, bool all> __global__ void few(T *a, int words, int apart, int times)
{
    const word warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (all || threadIdx.x % 32 == 0)
        for (int i = 0; i < times; i++)
            atomicAdd(&a[(long)((warp + i) % words) * apart], (T)1);
}
template <class T> __global__ void few_lanes(T *a, int words, int apart, int times)
{
    const word t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < times; i++)
        atomicAdd(&a[(long)(shuffled(t * 4 + i, 24) % words) * apart], (T)1);
}
template <class T> __global__ void few_awaited(T *a, T *out, int words, int apart, int times)
{
    const word warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    T sum = 0;
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < times; i++)
            sum += atomicAdd(&a[(long)((warp + i) % words) * apart], (T)1);
    if (sum == (T)123456789)
        *out = sum;
}

/* Lines that the L1 has: each lane reads `times` words of its own, `apart` words from its neighbour's. */
__global__ void own_lines(const float *a, float *out, int apart, int times)
{
    const float *mine = a + (long)(threadIdx.x) * apart;
    float sum = 0;
    for (int i = 0; i < times; i++)
        sum += mine[i % 16];
    if (sum == 12345.678f)
        *out = sum;
}

static float *A, *B;
static void done() { CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); }

template <int W, bool random> static void one(int bits)
{
    const int blocks = (int)(((long)W << bits) / 256);
    load<W, random><<<blocks, 256>>>(A, B, bits);
    store<W, random><<<blocks, 256>>>(B, bits);
    change<W, random><<<blocks, 256>>>(B, bits);
    count<W, random><<<blocks, 256>>>(B, bits);
    take<W, random><<<blocks, 256>>>(A, B, bits);
    put<W, random><<<blocks, 256>>>(A, B, bits);
    done();
}
template <int W> static void both(int bits)
{
    one<W, false>(bits);
    one<W, true>(bits);
}
template <class T> static void atomics()
{
    for (int words : {1, 8, 64, 1024})
        for (int apart : {1, 8, 32}) {
            if (words == 1 && apart > 1)
                continue;
            few<T, false><<<1056, 256>>>((T *)B, words, apart, 4);
            few<T, true><<<1056, 256>>>((T *)B, words, apart, 4);
            few_lanes<T><<<1056, 256>>>((T *)B, words, apart, 4);
            few_awaited<T><<<1056, 256>>>((T *)B, (T *)A, words, apart, 4);
        }
    done();
}

int main()
{
    CHECK(cudaMalloc(&A, 256 << 20));
    CHECK(cudaMalloc(&B, 256 << 20));
    CHECK(cudaMemset(A, 0, 256 << 20));
    CHECK(cudaMemset(B, 0, 256 << 20));
    both<1>(21);
    both<8>(21);
    both<16>(20);
    both<32>(19);
    both<64>(18);
    both<256>(16);
    both<1024>(14);
    atomics<int>();
    atomics<float>();
    atomics<double>();
    for (int apart : {1, 16, 17, 32, 33, 36, 40, 64, 128, 1024, 1028})
        for (int warps : {1, 4})
            own_lines<<<132, 32 * warps>>>(A, B, apart, 512);
    done();
    printf("done\n");
    return 0;
}
