// SPDX-License-Identifier: Apache-2.0
// What loads that the L1 has take of an SM, by their type and by where the lanes of a warp lie: one word, a row, rows of a tile; and
// what instructions take whose lanes are all off. For src/time/time_memory.c. Prints a line a probe: name, warps, cycles for each
// instruction of the SM.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o tile_probe tile_probe.cu; tile_probe > tile_probe.txt
// What an H200 prints: tests/gpu/h200/tiles.txt.
#include <cstdio>
#include <cstdlib>

enum { TRIPS = 64, UNROLL = 16 };

struct span {
    long long begin, end;
};
static __device__ void note(span *out, long long begin)
{
    const long long end = clock64();
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = {begin, end};
}

template <class T> static __device__ unsigned load(const char *at);
template <> __device__ unsigned load<char>(const char *at)
{
    unsigned v;
    asm volatile("{.reg .u16 h; ld.global.u8 h, [%1]; cvt.u32.u16 %0, h;}" : "=r"(v) : "l"(at));
    return v;
}
template <> __device__ unsigned load<short>(const char *at)
{
    unsigned short v;
    asm volatile("ld.global.u16 %0, [%1];" : "=h"(v) : "l"(at));
    return v;
}
template <> __device__ unsigned load<int>(const char *at)
{
    unsigned v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at));
    return v;
}
template <> __device__ unsigned load<int2>(const char *at)
{
    unsigned v, w;
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "l"(at));
    return v ^ w;
}
template <> __device__ unsigned load<int4>(const char *at)
{
    unsigned v, w, x, y;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "l"(at));
    return v ^ w ^ x ^ y;
}

// Lane l begins at element l / columns * pitch + l % columns * step, and each load goes on by `on` elements; `offset` at the start.
template <class T> __global__ void __launch_bounds__(1024) loads(span *out, const char *data, int columns, int pitch, int step, int on, int offset, unsigned *sink)
{
    const int lane = threadIdx.x % 32;
    const char *at = data + sizeof(T) * (size_t)(lane / columns * pitch + lane % columns * step + offset);
    unsigned sum = 0;
    for (int i = threadIdx.x * 16; i < 1 << 16; i += blockDim.x * 16)
        sum ^= load<int>(data + i);
    __syncthreads();
    const long long begin = clock64();
    for (int t = 0; t < TRIPS; t++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            sum ^= load<T>(at + sizeof(T) * (u * on));
        at += sizeof(T) * on; // or the loads would leave the loop
    }
    note(out, begin);
    if (sum == 0x12345)
        *sink = sum;
}
#define OFF(NAME, TEXT)                                                                            \
    __global__ void NAME(span *out, const char *data, int never, int, int, int, int, unsigned *sink) \
    {                                                                                              \
        __shared__ unsigned words[1024];                                                           \
        words[threadIdx.x] = 0;                                                                    \
        unsigned sum = threadIdx.x;                                                                \
        const unsigned at = (unsigned)__cvta_generic_to_shared(&words[threadIdx.x]);               \
        __syncthreads();                                                                           \
        const long long begin = clock64();                                                         \
        for (int t = 0; t < TRIPS; t++) {                                                          \
            _Pragma("unroll") for (int u = 0; u < UNROLL; u++)                                     \
                asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 77; " TEXT "}"                     \
                             : "+r"(sum) : "r"(never), "r"(at), "l"(data) : "memory");             \
        }                                                                                          \
        note(out, begin);                                                                          \
        if (sum == 0x12345)                                                                        \
            *sink = sum;                                                                           \
    }
OFF(off_nothing, "@p add.u32 %0, %0, 1;")
OFF(off_load_shared, "@p ld.shared.u32 %0, [%2];")
OFF(off_store_shared, "@p st.shared.u32 [%2], %0;")
OFF(off_load_global, "@p ld.global.u32 %0, [%3];")
OFF(off_store_global, "@p st.global.u32 [%3], %0;")
OFF(off_add_shared, "@p red.shared.add.u32 [%2], 1;")
OFF(off_add_global, "@p red.global.add.u32 [%3], 1;")
OFF(on_load_shared, "@!p ld.shared.u32 %0, [%2];")
OFF(on_store_shared, "@!p st.shared.u32 [%2], %0;")

typedef void (*probe)(span *, const char *, int, int, int, int, int, unsigned *);

static void run(const char *name, probe kernel, int warps, int columns, int pitch, int step, int on, int offset)
{
    static span *out;
    static char *data;
    static unsigned *sink;
    static span host[32];
    if (!out) {
        cudaMalloc(&out, sizeof host);
        cudaMalloc(&data, 1 << 20);
        cudaMemset(data, 0, 1 << 20);
        cudaMalloc(&sink, 64);
    }
    double best = 1e30;
    for (int repeat = 0; repeat < 5; repeat++) {
        kernel<<<1, 32 * warps>>>(out, data, columns, pitch, step, on, offset, sink);
        if (cudaMemcpy(host, out, sizeof(span) * warps, cudaMemcpyDeviceToHost) != cudaSuccess)
            exit(5);
        long long begin = host[0].begin, end = host[0].end;
        for (int w = 1; w < warps; w++) {
            begin = host[w].begin < begin ? host[w].begin : begin;
            end = host[w].end > end ? host[w].end : end;
        }
        const double cycles = (double)(end - begin) / ((double)warps * TRIPS * UNROLL);
        best = cycles < best ? cycles : best;
    }
    printf("%s warps %d columns %d pitch %d step %d on %d offset %d cycles %.3f\n", name, warps, columns, pitch, step, on, offset, best);
}
template <class T> static void all(const char *name)
{
    static const struct {
        int columns, pitch, step, on, offset;
    } at[] = {
        {32, 0, 0, 1, 0},                                                     // one word for all
        {32, 0, 1, 32, 0}, {32, 0, 1, 1, 0}, {32, 0, 1, 1, 1}, {32, 0, 1, 32, 1}, // a row, aligned and not
        {16, 512, 1, 16, 0}, {16, 499, 1, 1, 0}, {16, 512, 1, 1, 3}, {16, 528, 1, 16, 0}, // two rows of 16
        {8, 512, 1, 8, 0}, {8, 499, 1, 1, 0}, {8, 520, 1, 8, 0},              // four rows of 8
        {16, 512, 0, 1, 0}, {16, 499, 0, 1, 0}, {8, 512, 0, 1, 0}, {8, 499, 0, 1, 0}, // a word for each of two and four rows
        {32, 0, 2, 1, 0}, {32, 0, 3, 1, 0}, {32, 0, 4, 1, 0}, {32, 0, 8, 1, 0},
    };
    for (const auto &a : at)
        for (int warps : {8, 32})
            run(name, loads<T>, warps, a.columns, a.pitch, a.step, a.on, a.offset);
}
int main()
{
    all<char>("u8");
    all<short>("u16");
    all<int>("u32");
    all<int2>("u32x2");
    all<int4>("u32x4");
    static const struct {
        const char *name;
        probe kernel;
    } off[] = {{"off_nothing", off_nothing}, {"off_load_shared", off_load_shared}, {"off_store_shared", off_store_shared},
               {"off_load_global", off_load_global}, {"off_store_global", off_store_global}, {"off_add_shared", off_add_shared},
               {"off_add_global", off_add_global}, {"on_load_shared", on_load_shared}, {"on_store_shared", on_store_shared}};
    for (const auto &o : off)
        for (int warps : {8, 32})
            run(o.name, o.kernel, warps, 0, 0, 0, 0, 0);
}
