// SPDX-License-Identifier: Apache-2.0
// What it costs the L1 of an SM that a request finds nothing there, or what is on its way: the warps of one SM each load LOADS times before they
// wait, KEPT of them what the L1 has, the others what the L2 or the DRAM has: a line for REPEAT of them, which begin SHIFT bytes apart and whose
// lanes are lane_step bytes apart, their second half half_step; a line for `share` warps. Prints cycles of the SM for a request.
// (What comes from the DRAM pushes lines out of the L2 that were written: it takes longer than in a launch that finds the caches clean.)
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o late_probe late_probe.cu; late_probe
// What an H200 takes: tests/gpu/h200/late.txt.
#include <cstdint>
#include <cstdio>

enum { WARPS = 64, REGION = 1 << 16, APART = REGION + 37 * 128, LOADS = 8 };
__device__ unsigned placed[132];
__device__ unsigned long long first[132], last[132];

template <int BYTES> static __device__ unsigned load(const char *at)
{
    unsigned v;
    if (BYTES == 1)
        asm volatile("ld.global.u8 %0, [%1];" : "=r"(v) : "l"(at));
    else if (BYTES == 2)
        asm volatile("ld.global.u16 %0, [%1];" : "=r"(v) : "l"(at));
    else if (BYTES == 4)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at));
    else {
        unsigned long long w;
        asm volatile("ld.global.u64 %0, [%1];" : "=l"(w) : "l"(at));
        v = (unsigned)w;
    }
    return v;
}

template <int BYTES, int REPEAT, int SHIFT, int KEPT, int STRIDE>
__global__ void __launch_bounds__(1024, 2) ask(const char *p, unsigned *out, int share, int lane_step, int half_step, int kept_step)
{
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    __shared__ int block;
    if (threadIdx.x == 0)
        block = atomicAdd(&placed[sm], 1);
    __syncthreads();
    for (const unsigned long long begin = clock64(); clock64() < begin + 20000;) // all blocks have their SMs
        ;
    if (sm)
        return;
    const int warp = block * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const char *own = p + (size_t)(warp / share) * APART + lane % 16 * lane_step + lane / 16 * half_step;
    const char *kept = p + (size_t)WARPS * APART + warp % 8 * 1024 + lane * kept_step;
    enum { LINES = LOADS == KEPT ? 1 : (LOADS - KEPT) / REPEAT };
    unsigned sum = 0;
    const unsigned long long begin = clock64();
    int turn = 0;
    for (int at = 0; at + LINES * STRIDE <= REGION; at += LINES * STRIDE, turn += 128) {
        const char *now = kept + (turn & 896);
        unsigned v[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            v[i] = i < LOADS - KEPT ? load<BYTES>(own + at + i / REPEAT * STRIDE + i % REPEAT * SHIFT) : load<BYTES>(now + i % 8 * 1024);
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            sum += v[i];
    }
    const unsigned long long end = clock64();
    atomicMin(&first[sm], begin);
    atomicMax(&last[sm], end);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

char *p, *big;
unsigned *o;
template <int BYTES, int REPEAT, int SHIFT, int KEPT, int STRIDE = 128>
void run(int share, int lane_step, int half_step, int kept_step = BYTES, int warps = 64, bool fresh = false)
{
    double best = 1e9;
    for (int time = 0; time < 3; time++) {
        unsigned long long f[132], l[132] = {};
        for (auto &x : f)
            x = ~0ull;
        const unsigned none[132] = {};
        cudaMemcpyToSymbol(first, f, sizeof f);
        cudaMemcpyToSymbol(last, l, sizeof l);
        cudaMemcpyToSymbol(placed, none, sizeof none);
        cudaMemset(fresh ? big : p, time, fresh ? 1 << 28 : WARPS * APART + (1 << 20));
        ask<BYTES, REPEAT, SHIFT, KEPT, STRIDE><<<264, warps * 16>>>(p, o, share, lane_step, half_step, kept_step);
        unsigned there[132];
        cudaMemcpyFromSymbol(f, first, sizeof f);
        cudaMemcpyFromSymbol(l, last, sizeof l);
        cudaMemcpyFromSymbol(there, placed, sizeof there);
        const int lines = LOADS == KEPT ? 1 : (LOADS - KEPT) / REPEAT, turns = REGION / (lines * STRIDE);
        const double cycles = (double)(l[0] - f[0]) / turns / LOADS / (warps / 2 * there[0]);
        if (cycles < best)
            best = cycles;
    }
    printf("%s %d %d %d %d %d %d %d %d %d %d %.2f\n", fresh ? "dram" : "l2", warps, BYTES, REPEAT, SHIFT, KEPT, STRIDE, share, lane_step,
           half_step, kept_step, best);
}
template <int BYTES> void sized()
{
    run<BYTES, 1, 0, 8>(1, BYTES, 16 * BYTES);    // all kept
    run<BYTES, 1, 0, 8>(1, BYTES, 16 * BYTES, 0); // all kept, one word
    for (int share : {1, 2, 8, 32}) {
        run<BYTES, 1, 0, 0>(share, BYTES, 16 * BYTES);
        run<BYTES, 1, 0, 4>(share, BYTES, 16 * BYTES);
        run<BYTES, 1, 0, 6>(share, BYTES, 16 * BYTES);
        run<BYTES, 1, 0, 7>(share, BYTES, 16 * BYTES);
    }
    run<BYTES, 1, 0, 0>(1, 0, 0); // one word
    run<BYTES, 1, 0, 4>(1, 0, 0);
    run<BYTES, 1, 0, 0, 256>(1, 0, 128); // two
    run<BYTES, 1, 0, 4, 256>(1, 0, 128);
    run<BYTES, 2, BYTES, 0>(1, 0, 0); // a line for 2, 4, 8 loads
    run<BYTES, 4, BYTES, 0>(1, 0, 0);
    run<BYTES, 8, BYTES, 0>(1, 0, 0);
    run<BYTES, 2, BYTES, 4>(1, 0, 0);
    run<BYTES, 4, BYTES, 4>(1, 0, 0);
    run<BYTES, 2, 32, 0>(1, 0, 0); // a sector each
    run<BYTES, 4, 32, 0>(1, 0, 0);
    run<BYTES, 1, 0, 0, 512>(1, 16, 256); // four lines a request
    run<BYTES, 1, 0, 0, 1024>(1, 32, 512); // eight
    run<BYTES, 1, 0, 0, 4096>(1, 128, 2048); // 32
    for (bool fresh : {false, true})
        for (int warps : {8, 16, 32, 48, 64})
            run<BYTES, 1, 0, 0>(1, BYTES, 16 * BYTES, BYTES, warps, fresh);
    run<BYTES, 1, 0, 4>(1, BYTES, 16 * BYTES, BYTES, 64, true);
    run<BYTES, 1, 0, 6>(1, BYTES, 16 * BYTES, BYTES, 64, true);
    run<BYTES, 8, BYTES, 0>(1, 0, 0, BYTES, 64, true);
    run<BYTES, 1, 0, 0>(8, BYTES, 16 * BYTES, BYTES, 64, true);
}
int main()
{
    cudaMalloc(&p, (size_t)WARPS * APART + (1 << 20));
    cudaMemset(p, 0, (size_t)WARPS * APART + (1 << 20));
    cudaMalloc(&o, 1 << 24);
    cudaMalloc(&big, 1 << 28);
    printf("# from warps bytes repeat shift kept stride share lane_step half_step kept_step cycles/request\n");
    sized<1>();
    sized<2>();
    sized<4>();
    sized<8>();
    printf("# %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
