// SPDX-License-Identifier: Apache-2.0
// A load of what the same warp has just stored, as where states of random numbers or arrays of one thread are changed in global memory: how
// long does it wait, by how much stands in between, which word is loaded, how many warps do so? Run it under Nsight Compute, which gives the
// time of each launch. The code stores and loads by two pointers, so that no compiler keeps the words in registers.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o again_probe again_probe.cu; again_probe
// What an H200 takes: tests/gpu/h200/agains.txt.
#include <cstdio>

enum { TRIPS = 64 };

template <int N> static __device__ __forceinline__ void work(unsigned &x)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(x));
}

/* Each of `lanes` lanes has `WORDS` words, `step` words from lane to lane; it loads `off` words behind those that it stores, and multiplies BETWEEN
 * times between the store and the next load. */
template <int WORDS, int BETWEEN> __global__ void change(unsigned *to, unsigned *from, int lanes, int step, int off)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (lane >= lanes)
        return;
    const size_t at = (size_t)warp * 1024 + lane * step;
    to += at;
    from += at + off;
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++) {
        unsigned v[WORDS];
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            v[w] = from[w];
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            to[w] = v[w] + t;
        if (BETWEEN)
            work<BETWEEN>(v[0]);
        if (BETWEEN && v[0] == 12345)
            to[0] = 1;
    }
}
// The same without the stores.
template <int WORDS> __global__ void only_load(unsigned *to, unsigned *from, int lanes, int step)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (lane >= lanes)
        return;
    from += (size_t)warp * 1024 + lane * step;
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++) {
        unsigned sum = 0;
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            sum += from[w];
        if (sum == 12345)
            *to = 1;
        from += sum;
    }
}
// A barrier in between, and the words of the neighbour.
template <bool OTHERS> __global__ void met(unsigned *to, unsigned *from, int step)
{
    const unsigned first = blockIdx.x * 32768, mine = threadIdx.x * step, next = (threadIdx.x + 33) % blockDim.x * step;
    to += first;
    from += first;
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++) {
        const unsigned v = from[OTHERS ? next : mine];
        __syncthreads();
        to[mine] = v + t;
        __syncthreads();
    }
}
// Neighbours of an array change places, by one thread, as where it is sorted.
__global__ void sort_by_one(unsigned *p, int count)
{
    if (threadIdx.x)
        return;
#pragma unroll 1
    for (int i = 0; i + 1 < count; i++) {
        const unsigned a = p[i], b = p[i + 1];
        if (a > b) {
            p[i] = b;
            p[i + 1] = a;
        }
    }
}
__global__ void down(unsigned *p, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        p[blockIdx.x * 32768 + i] = count - i;
}

/* One lane a warp, of whose states of `WORDS` words each `apart` words from warp to warp; EXTRA: another store, to a row of each
 * lane's own. */
template <int WORDS, bool EXTRA> __global__ void states(unsigned *to, unsigned *from, unsigned *row, int apart, int lanes)
{
    enum { TURNS = 16 };
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (lane >= lanes)
        return;
    const size_t at = ((size_t)warp * lanes + lane) * apart;
    to += at;
    from += at;
    row += (size_t)(warp * lanes + lane) * 32;
#pragma unroll 1
    for (int t = 0; t < TURNS; t++) {
        unsigned v[WORDS];
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            v[w] = from[w];
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            to[w] = v[w] + t;
        if (EXTRA)
            row[t] = v[0];
    }
}

static unsigned *p, *row;
template <int WORDS, int BETWEEN> static void shapes()
{
    for (int blocks : {1, 132})
        for (int threads : {32, 256, 1024})
            for (int lanes : {1, 32})
                for (int step : {1, 8, 12})
                    if (lanes > 1 || step == 1)
                        change<WORDS, BETWEEN><<<blocks, threads>>>(p, p, lanes, step, 0);
}

int main()
{
    cudaMalloc(&p, 1 << 28);
    cudaMalloc(&row, 1 << 28);
    cudaMemset(p, 0, 1 << 28);
    shapes<1, 0>();
    shapes<6, 0>();
    for (int lanes : {1, 32}) {
        change<1, 10><<<1, 32>>>(p, p, lanes, 8, 0);
        change<1, 50><<<1, 32>>>(p, p, lanes, 8, 0);
        change<1, 100><<<1, 32>>>(p, p, lanes, 8, 0);
        change<1, 200><<<1, 32>>>(p, p, lanes, 8, 0);
        for (int off : {1, 8, 32, 256})
            change<1, 0><<<1, 32>>>(p, p, lanes, 8, off);
        only_load<1><<<1, 32>>>(p, p, lanes, 8);
        only_load<6><<<1, 32>>>(p, p, lanes, 8);
    }
    for (int blocks : {1, 132})
        for (int threads : {32, 256, 1024})
            for (int step : {1, 8}) {
                met<false><<<blocks, threads>>>(p, p, step);
                met<true><<<blocks, threads>>>(p, p, step);
            }
    for (int blocks : {1, 132}) {
        down<<<blocks, 256>>>(p, 512);
        sort_by_one<<<blocks, 32>>>(p, 512);
    }
    for (int blocks : {32, 132, 1056, 4224})
        for (int apart : {12, 32, 1028}) {
            states<6, false><<<blocks, 32>>>(p, p, row, apart, 1);
            states<6, true><<<blocks, 32>>>(p, p, row, apart, 1);
        }
    for (int blocks : {132, 4224})
        for (int apart : {8, 32}) {
            states<1, true><<<blocks, 32>>>(p, p, row, apart, 1);
            states<2, true><<<blocks, 32>>>(p, p, row, apart, 1);
            states<3, true><<<blocks, 32>>>(p, p, row, apart, 1);
        }
    for (int blocks : {132, 1056})
        for (int apart : {12, 36}) {
            states<6, false><<<blocks, 128>>>(p, p, row, apart, 32);
            states<6, true><<<blocks, 128>>>(p, p, row, apart, 32);
        }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
