/* SPDX-License-Identifier: Apache-2.0
 * How far apart the warps of a launch end where each has as much to do, and how far loads from the DRAM differ, for src/time/.
 * 64 MiB are read or copied by `blocks` blocks of 256 threads, with nothing of them in the L2 and nothing there to be written back.
 *     ends NAME blocks ns warp sm      the launch from the first start to the last end; of it, the part after which the mean warp
 *                                      ends, and the mean of the SMs' last warps
 *     loads NAME blocks mean deviation least most      cycles that a warp waits for one load
 *     nvcc -arch=native -std=c++17 -O3 -w -o end_probe end_probe.cu; end_probe > end_probe.txt */
#include "cuda_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

enum { BLOCK = 256, WARPS = BLOCK / 32, RUNS = 5 };
static const long BYTES = 64l << 20, OTHER_BYTES = 256l << 20;

struct span {
    unsigned long long begin, end; /* ns */
    unsigned sm;
};

struct waits {
    double count, sum, squares, least, most; /* cycles */
};

static __device__ unsigned long long ns_now()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

static __device__ unsigned sm_here()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

static __device__ float first(float v) { return v; }
static __device__ float first(double v) { return (float)v; }
static __device__ float first(float4 v) { return v.x + v.y + v.z + v.w; }
static __device__ long me() { return blockIdx.x * (long)blockDim.x + threadIdx.x; }

static __device__ void note(span *out, unsigned long long begin)
{
    if (threadIdx.x % 32 == 0)
        out[me() / 32] = {begin, ns_now(), sm_here()};
}

template <class T> static __global__ void read(const T *a, T *b, long n, span *out)
{
    const unsigned long long begin = ns_now();
    float sum = 0;
    for (long i = me(); i < n; i += (long)gridDim.x * blockDim.x)
        sum += first(a[i]);
    if (sum == 12345.678f)
        *(float *)b = sum;
    note(out, begin);
}

template <class T> static __global__ void copy(const T *a, T *b, long n, span *out)
{
    const unsigned long long begin = ns_now();
    for (long i = me(); i < n; i += (long)gridDim.x * blockDim.x)
        b[i] = a[i];
    note(out, begin);
}

template <class T> static __global__ void timed(const T *a, float *sink, long n, waits *out)
{
    float sum = 0;
    waits all = {0, 0, 0, 1e30, 0};
    for (long i = me(); i < n; i += (long)gridDim.x * blockDim.x) {
        const unsigned begin = (unsigned)clock();
        sum += first(a[i]);
        asm volatile("" ::"f"(sum) : "memory");
        const double cycles = (double)((unsigned)clock() - begin);
        all = {all.count + 1, all.sum + cycles, all.squares + cycles * cycles, fmin(all.least, cycles), fmax(all.most, cycles)};
    }
    if (sum == 12345.678f)
        *sink = sum;
    if (threadIdx.x % 32 == 0)
        out[me() / 32] = all;
}

static char *from, *to, *other;
static void *notes;

/* Fills the L2 with what nobody writes. */
static void leave_other()
{
    read<float4><<<1056, BLOCK>>>((float4 *)other, (float4 *)to, OTHER_BYTES / 16, (span *)notes);
    CHECK(cudaDeviceSynchronize());
}

template <class T> static std::vector<T> take(size_t count)
{
    std::vector<T> all(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(all.data(), notes, count * sizeof(T), cudaMemcpyDeviceToHost));
    return all;
}

static void print_ends(const char *name, int blocks, const std::vector<span> &all)
{
    unsigned long long begin = ~0ull, end = 0;
    std::map<unsigned, double> last;
    double warps = 0, sms = 0;
    for (const span &s : all) {
        begin = std::min(begin, s.begin);
        end = std::max(end, s.end);
    }
    for (const span &s : all) {
        warps += double(s.end - begin) / all.size();
        last[s.sm] = std::max(last[s.sm], double(s.end - begin));
    }
    for (const auto &sm : last)
        sms += sm.second / last.size();
    printf("ends %s %d %llu %.3f %.3f\n", name, blocks, end - begin, warps / (end - begin), sms / (end - begin));
}

template <class F> static void ends(const char *name, std::vector<int> sizes, F launch)
{
    for (int blocks : sizes)
        for (int r = 0; r < RUNS; r++) {
            leave_other();
            launch(blocks, (span *)notes);
            print_ends(name, blocks, take<span>((size_t)blocks * WARPS));
        }
}

template <class T> static void loads(const char *name, int blocks)
{
    waits all = {0, 0, 0, 1e30, 0};
    leave_other();
    timed<<<blocks, BLOCK>>>((const T *)from, (float *)to, BYTES / sizeof(T), (waits *)notes);
    for (const waits &w : take<waits>((size_t)blocks * WARPS))
        all = {all.count + w.count, all.sum + w.sum, all.squares + w.squares, std::min(all.least, w.least), std::max(all.most, w.most)};
    const double mean = all.sum / all.count;
    printf("loads %s %d %.0f %.0f %.0f %.0f\n", name, blocks, mean, sqrt(all.squares / all.count - mean * mean), all.least, all.most);
}

#define ENDS(KERNEL, TYPE, ...)                                                                    \
    ends(#KERNEL "_" #TYPE, {__VA_ARGS__}, [](int blocks, span *out) {                             \
        KERNEL<<<blocks, BLOCK>>>((const TYPE *)from, (TYPE *)to, BYTES / sizeof(TYPE), out);      \
    })

int main()
{
    CHECK(cudaMalloc(&from, BYTES));
    CHECK(cudaMalloc(&to, BYTES));
    CHECK(cudaMalloc(&other, OTHER_BYTES));
    CHECK(cudaMalloc(&notes, BYTES / 4 / 32 * sizeof(waits)));
    CHECK(cudaMemset(from, 0, BYTES));
    CHECK(cudaMemset(other, 0, OTHER_BYTES));
    ENDS(read, float, 132, 264, 396, 528, 792, 1056, 65536);
    ENDS(read, double, 132, 264, 396, 528, 792, 1056, 32768);
    ENDS(read, float4, 132, 198, 264, 396, 528, 1056, 16384);
    ENDS(copy, float, 132, 264, 528, 1056, 65536);
    ENDS(copy, float4, 132, 264, 528, 1056, 16384);
    for (int blocks : {1, 33, 132, 264, 528, 792, 1056}) {
        loads<float>("float", blocks);
        loads<double>("double", blocks);
        loads<float4>("float4", blocks);
    }
    return 0;
}
