// SPDX-License-Identifier: Apache-2.0
// Which warps of an SM load first: 64 warps in blocks of 1,024 to 128 threads load as much each, of lines that the L1 has (mode 0) or lacks (mode 1).
// Prints for each block of SM 0 when its warps begin, and when the first and the last of them end, in cycles.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o load_order_probe load_order_probe.cu; load_order_probe
// What an H200 does: tests/gpu/h200/load_order.txt.
#include <cstdint>
#include <cstdio>
#include <algorithm>
#include <vector>
enum { LOADS = 8, TURNS = 128 };
struct span { unsigned long long begin, end; unsigned sm, block, warp; };
template <int MODE> __global__ void __launch_bounds__(1024, 2) work(const char *p, span *out, unsigned *sink)
{
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    __shared__ unsigned long long start;
    if (threadIdx.x == 0) start = clock64();
    __syncthreads();
    while (clock64() < start + 20000) ;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const char *at = MODE == 0 ? p + (warp % 8) * 1024 + lane * 4
                               : p + (1 << 20) + ((size_t)sm % 4 * 64 + (blockIdx.x / 132 * (blockDim.x / 32) + warp) % 64) * (TURNS * LOADS * 128 + 37 * 128) + lane * 4;
    unsigned sum = 0;
    const unsigned long long begin = clock64();
    for (int turn = 0; turn < TURNS; turn++) {
        unsigned v[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[i]) : "l"(at + (MODE == 0 ? (turn & 7) * 128 + i * 1024 : (turn * LOADS + i) * 128)));
#pragma unroll
        for (int i = 0; i < LOADS; i++) sum += v[i];
    }
    const unsigned long long end = clock64();
    if (lane == 0) out[blockIdx.x * (blockDim.x / 32) + warp] = {begin, end, sm, blockIdx.x, (unsigned)warp};
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main()
{
    char *p; span *o; unsigned *k;
    cudaMalloc(&p, 1 << 27); cudaMalloc(&o, 1 << 20); cudaMalloc(&k, 1 << 22);
    for (int mode : {0, 1})
        for (int threads : {1024, 512, 256, 128}) {
            const int each = 2048 / threads, grid = 132 * each;
            cudaMemset(p, 0, 1 << 26);
            if (mode == 0) work<0><<<grid, threads>>>(p, o, k); else work<1><<<grid, threads>>>(p, o, k);
            std::vector<span> s((size_t)grid * threads / 32);
            cudaMemcpy(s.data(), o, s.size() * sizeof(span), cudaMemcpyDeviceToHost);
            std::vector<span> a;
            for (auto &x : s) if (x.sm == 0) a.push_back(x);
            unsigned long long f = ~0ull;
            for (auto &x : a) f = std::min(f, x.begin);
            std::sort(a.begin(), a.end(), [](const span &x, const span &y) { return x.block < y.block; });
            for (size_t i = 0; i < a.size(); i += threads / 32) {
                unsigned long long first = ~0ull, last = 0;
                for (size_t k = i; k < i + threads / 32; k++)
                    first = std::min(first, a[k].end - f), last = std::max(last, a[k].end - f);
                printf("%d %d %zu %llu %llu %llu\n", mode, threads, i / (threads / 32), a[i].begin - f, first, last);
            }
        }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
