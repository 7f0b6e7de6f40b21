// SPDX-License-Identifier: Apache-2.0
// Loops with a YIELD, which lanes leave after different numbers of trips: lane by lane 1 to 5, whatever others do. How often is what
// stands behind such a loop, and within it, executed? The counters of an H200 are in tests/gpu/h200/yields.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -cubin -o yields.sm_90.cubin yields.cu; with -DALONE a program for Nsight Compute
#define WARP 32

static __device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ unsigned trips(unsigned i) { return i % WARP % 5; }
static __device__ unsigned look_at(const unsigned *p) { return *(const volatile unsigned *)p; }
static __device__ unsigned swap(unsigned *p, unsigned wanted, unsigned by) { return atomicCAS(p, wanted, by); }

// A counter for each thread, which it adds to until it has come to its limit.
extern "C" __global__ void count_up(unsigned *counters, unsigned *out)
{
    const unsigned i = thread(), limit = trips(i);
    while (atomicAdd(&counters[i], 1) < limit)
        ;
    out[i] = limit;
}
// Places for each thread, of which it gets the first that holds what it asks for: all hold 0.
extern "C" __global__ void insert(unsigned *places, unsigned *out)
{
    const unsigned i = thread(), limit = trips(i);
    unsigned at = 0;
    while (swap(&places[i * 8 + at], at < limit, 1) != (at < limit ? 1 : 0))
        at++;
    out[i] = at;
}
// ... with what comes then in the loop.
extern "C" __global__ void insert_within(unsigned *places, unsigned *out)
{
    const unsigned i = thread(), limit = trips(i);
    for (unsigned at = 0;; at = (at + 1) & 7)
        if (swap(&places[i * 8 + at], at < limit, 1) == (at < limit ? 1 : 0)) {
            out[i] = at;
            return;
        }
}
extern "C" __global__ void look(unsigned *places, unsigned *out)
{
    const unsigned i = thread(), limit = trips(i);
    unsigned at = 0;
    while (look_at(&places[i * 8 + at]) + at < limit)
        at++;
    out[i] = at;
}
// Lanes part and meet again in the loop.
extern "C" __global__ void part_within(unsigned *places, unsigned *out)
{
    const unsigned i = thread(), limit = trips(i);
    volatile unsigned *const mine = &out[i * 8];
    unsigned at = 0;
    do {
        if (look_at(&places[i * 8 + at]) + (i + at) % 2) {
            mine[0] = at;
            mine[1] = at + 1;
            mine[2] = at + 2;
        } else {
            mine[3] = at;
            mine[4] = at + 5;
        }
        mine[5] = at;
    } while (at++ < limit);
    mine[6] = at;
}
// Lanes part before the loop, which half of them come to.
extern "C" __global__ void half_insert(unsigned *places, unsigned *out)
{
    const unsigned i = thread(), limit = trips(i);
    volatile unsigned *const mine = &out[i * 8];
    unsigned at = 0;
    if (i & 8) {
        while (swap(&places[i * 8 + at], at < limit, 1) != (at < limit ? 1 : 0))
            at++;
        mine[0] = at;
    } else {
        mine[1] = i;
        mine[2] = i + 1;
    }
    mine[3] = at;
}
// One loop behind the other.
extern "C" __global__ void insert_twice(unsigned *places, unsigned *out)
{
    const unsigned i = thread(), limit = trips(i);
    unsigned at = 0, then = 0;
    while (swap(&places[i * 16 + at], at < limit, 1) != (at < limit ? 1 : 0))
        at++;
    out[2 * i] = at;
    while (swap(&places[i * 16 + 8 + then], then < limit, 1) != (then < limit ? 1 : 0))
        then++;
    out[2 * i + 1] = then;
}
#ifdef ALONE
#include <cstdio>
int main()
{
    unsigned *places, *out;
    cudaMalloc(&places, 1 << 20), cudaMalloc(&out, 1 << 20);
    void (*const kernels[])(unsigned *, unsigned *) = {count_up, insert, insert_within, look, part_within, half_insert, insert_twice};
    for (int again = 0; again < 3; again++)
        for (auto kernel : kernels) {
            cudaMemset(places, 0, 1 << 20);
            kernel<<<2, 128>>>(places, out);
        }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
