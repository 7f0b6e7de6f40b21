// SPDX-License-Identifier: Apache-2.0
// What kernels cost that kernels launch, and whether a parent's time has theirs. Prints a line a case: what is measured, its
// parameters, the least, the median and the most of its repetitions, in the unit named. `call`: cycles of the parent's thread in
// a launch; `begins`: ns from before it until the child's first instruction; `every`: ns of the whole family by events, over its
// kernels; `spun`: ns of a parent by events, of which a child spins for 1 ms.
//     nvcc -arch=sm_90 -O3 -w -rdc=true -o child_probe child_probe.cu -lcudadevrt
//     child_probe; ncu --clock-control none --metrics gpu__time_duration.sum,smsp__inst_executed.sum child_probe once
// What an H200 takes: tests/gpu/h200/children.txt.
#include "cuda_check.h"

#include <algorithm>
#include <cstring>
#include <vector>

enum { REPEATS = 15, MOST = 4096 };
enum way { BLOCK_STREAM, FORGET, TAIL, OWN_STREAM, WAYS };
static const char *const way_names[] = {"block_stream", "fire_and_forget", "tail", "own_streams"};

struct times {
    long long call, before, begins, ends;
};

static __device__ long long now_ns()
{
    long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

__global__ void empty() {}
__global__ void stamp(times *t)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        t->begins = now_ns();
}
__global__ void spin(long long ns)
{
    for (const long long begin = now_ns(); now_ns() - begin < ns;)
        ;
}

static __device__ cudaStream_t stream_of(int way)
{
    cudaStream_t own = 0;
    switch (way) {
    case FORGET: return cudaStreamFireAndForget;
    case TAIL: return cudaStreamTailLaunch;
    case OWN_STREAM: cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking); return own;
    default: return 0;
    }
}

// One child, whose begin is noted.
__global__ void one(int way, int blocks, int threads, times *t)
{
    cudaStream_t s = stream_of(way);
    t->before = now_ns();
    const long long begin = clock64();
    stamp<<<blocks, threads, 0, s>>>(t);
    t->call = clock64() - begin;
    t->ends = now_ns();
}

// Each of the first `launchers` threads launches `each` empty children.
__global__ void many(int way, int launchers, int each, times *t)
{
    const int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= launchers)
        return;
    cudaStream_t s = stream_of(way);
    const long long begin = clock64();
    for (int i = 0; i < each; i++)
        empty<<<1, 32, 0, s>>>();
    if (number == 0)
        t->call = clock64() - begin;
}

// Each level launches the next one.
__global__ void deep(int way, int levels)
{
    if (levels > 0)
        deep<<<1, 1, 0, stream_of(way)>>>(way, levels - 1);
}
// ... two of it, as a quicksort does.
__global__ void fork(int way, int levels)
{
    for (int i = 0; levels > 0 && i < 2; i++)
        fork<<<1, 1, 0, stream_of(way)>>>(way, levels - 1);
}

__global__ void spun(int way, int children, long long ns)
{
    for (int i = 0; i < children; i++)
        spin<<<1, 1, 0, stream_of(way)>>>(ns);
}

static void tell(const char *what, const char *of, int a, int b, const char *unit, std::vector<double> found)
{
    std::sort(found.begin(), found.end());
    printf("%s %s %d %d %.0f %.0f %.0f %s\n", what, of, a, b, found[0], found[found.size() / 2], found.back(), unit);
}

template <class F> static double by_events(F launch)
{
    static cudaEvent_t begin, end;
    float ms;
    if (!begin) {
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
    }
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms * 1e6;
}

template <class F> static std::vector<double> repeat(F once)
{
    std::vector<double> found;
    once();
    for (int i = 0; i < REPEATS; i++)
        found.push_back(once());
    return found;
}

static void measure_one(int way, times *t)
{
    std::vector<double> calls, begins, behind;
    for (int i = 0; i <= REPEATS; i++) {
        by_events([&] { one<<<1, 1>>>(way, 1, 32, t); });
        if (!i)
            continue;
        calls.push_back(t->call);
        begins.push_back(t->begins - t->before);
        behind.push_back(t->begins - t->ends);
    }
    tell("call", way_names[way], 1, 1, "cycles", calls);
    tell("begins", way_names[way], 1, 1, "ns", begins);
    tell("begins_behind_call", way_names[way], 1, 1, "ns", behind);
}

static void measure_many(int way, int launchers, int each, times *t)
{
    const int threads = launchers < 128 ? launchers : 128, blocks = (launchers + threads - 1) / threads;
    std::vector<double> calls;
    const std::vector<double> all = repeat([&] {
        const double ns = by_events([&] { many<<<blocks, threads>>>(way, launchers, each, t); });
        calls.push_back(t->call);
        return ns;
    });
    tell("many_call", way_names[way], launchers, each, "cycles", calls);
    tell("many", way_names[way], launchers, each, "ns", all);
}

static void measure_all(times *t)
{
    tell("parent_alone", "none", 0, 0, "ns", repeat([&] { return by_events([&] { many<<<1, 1>>>(0, 0, 0, t); }); }));
    for (int way = 0; way < WAYS; way++) {
        measure_one(way, t);
        for (int each : {1, 2, 4, 16, 64, 256})
            measure_many(way, 1, each, t);
        if (way != TAIL)
            for (int launchers : {2, 32, 128, 1024})
                measure_many(way, launchers, 1, t);
    }
    for (int way : {BLOCK_STREAM, FORGET, TAIL})
        for (int levels : {1, 2, 4, 8, 16})
            tell("deep", way_names[way], levels, 1, "ns", repeat([&] { return by_events([&] { deep<<<1, 1>>>(way, levels); }); }));
    for (int way : {BLOCK_STREAM, FORGET})
        for (int levels : {1, 2, 4, 6, 8})
            tell("fork", way_names[way], levels, 2, "ns", repeat([&] { return by_events([&] { fork<<<1, 1>>>(way, levels); }); }));
    for (int way = 0; way < TAIL + 1; way++)
        tell("spun", way_names[way], 1, 1, "ns", repeat([&] { return by_events([&] { spun<<<1, 1>>>(way, 1, 1000000); }); }));
}

// For Nsight Compute: each once.
static void launch_once(times *t)
{
    many<<<1, 1>>>(0, 0, 0, t);
    for (int way = 0; way < TAIL + 1; way++) {
        spun<<<1, 1>>>(way, 1, 1000000);
        spun<<<1, 1>>>(way, 4, 1000000);
        for (int each : {1, 4, 16, 64})
            many<<<1, 1>>>(way, 1, each, t);
    }
    many<<<8, 128>>>(FORGET, 1024, 1, t);
    for (int levels : {1, 4, 16})
        deep<<<1, 1>>>(FORGET, levels);
    for (int levels : {2, 4, 6, 8}) {
        fork<<<1, 1>>>(BLOCK_STREAM, levels);
        fork<<<1, 1>>>(FORGET, levels);
    }
    CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    times *t;
    CHECK(cudaMallocManaged(&t, sizeof *t));
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 16384));
    if (argc > 1 && !strcmp(argv[1], "once"))
        launch_once(t);
    else
        measure_all(t);
}
