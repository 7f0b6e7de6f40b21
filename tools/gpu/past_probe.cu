/* SPDX-License-Identifier: Apache-2.0
 * Copies past registers (cp.async) of one warp from any place to any place, for Nsight Compute. Prints a line a launch: its number, the
 * bytes of a copy, whether it keeps the L1 (ca), and for each lane that copies lane:source:destination, both counted from the start of a line.
 *
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o past_probe tools/gpu/past_probe.cu
 *     ncu --csv --page raw --metrics ... ./past_probe FIRST COUNT */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t code = (call);                                                           \
        if (code != cudaSuccess) {                                                                 \
            fprintf(stderr, "past_probe.cu:%d: %s\n", __LINE__, cudaGetErrorName(code));           \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

enum { LANES = 32, BYTES = 16384, NONE = -1 };

struct places {
    int from[LANES], to[LANES]; /* NONE: the lane does not copy */
};

template <int SIZE, bool KEEPS> __global__ void copy(const places p, const char *from, char *out)
{
    extern __shared__ __align__(128) char shared[];
    const int lane = threadIdx.x;
    const unsigned to = (unsigned)__cvta_generic_to_shared(shared) + p.to[lane];
    const char *at = from + p.from[lane];
    if (p.from[lane] != NONE) {
        if (KEEPS)
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(at), "n"(SIZE));
        else
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(at));
    }
    asm volatile("cp.async.wait_all;");
    if (lane == 0)
        out[0] = shared[0];
}

static uint32_t state = 11;

static int next(int below)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state ^ state >> 15) >> 4) % below;
}

static std::vector<int> shuffled(int count)
{
    std::vector<int> all(count);
    for (int i = 0; i < count; i++)
        all[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int j = next(i + 1), kept = all[i];
        all[i] = all[j], all[j] = kept;
    }
    return all;
}

/* Places of the lanes in pieces of `size` bytes by kind: in a row, in any order in as many, in any order in four times as many, rows of
 * some pieces with a pitch, rows whose pieces are exchanged by an exclusive or. */
enum { ROW, ORDER, WIDE, PITCH, SWIZZLE, SHAPES };

static std::vector<int> side(int shape, int size)
{
    static const int rows[] = {1, 2, 4, 8, 16};
    std::vector<int> all(LANES);
    const std::vector<int> order = shuffled(shape == WIDE ? 4 * LANES : LANES);
    const int row = rows[next(5)], pitch = row + next(13), start = next(8), bits = next(8);
    for (int i = 0; i < LANES; i++)
        all[i] = size * (shape == ROW      ? i
                         : shape == PITCH   ? start + i % row + i / row * pitch
                         : shape == SWIZZLE ? i / 8 * 8 + (i % 8 ^ (i / 8 & bits))
                                            : order[i]);
    return all;
}

struct launch {
    int size;
    bool keeps;
    places p;
};

static launch any_launch(int number)
{
    static const int sizes[] = {16, 16, 16, 8, 4};
    launch l = {};
    l.size = sizes[number % 5];
    l.keeps = l.size < 16 || next(2);
    const std::vector<int> from = side(next(SHAPES), l.size), to = side(next(SHAPES), l.size);
    const int few = next(3);
    for (int i = 0; i < LANES; i++) {
        const bool is_on = few == 0 || (few == 1 ? next(2) : next(5) == 0) || i == 0;
        l.p.from[i] = is_on ? from[i] : NONE;
        l.p.to[i] = to[i];
    }
    return l;
}

/* Two lanes: the first from 0 to 0, the other from `from` pieces to `to` pieces behind. */
static launch pair(int from, int to, int second)
{
    launch l = {16, false, {}};
    for (int i = 0; i < LANES; i++)
        l.p.from[i] = NONE;
    l.p.from[0] = l.p.to[0] = 0;
    l.p.from[second] = 16 * from, l.p.to[second] = 16 * to;
    return l;
}

static std::vector<launch> all_launches()
{
    static const int apart[] = {1, 2, 3, 4, 7, 8, 9, 16, 24};
    std::vector<launch> all;
    for (int from : apart)
        for (int to : apart)
            all.push_back(pair(from, to, 1 + (from * 7 + to) % 31));
    for (int i = 0; i < 300; i++)
        all.push_back(any_launch(i));
    return all;
}

int main(int count, char **words)
{
    const std::vector<launch> all = all_launches();
    const int first = count > 1 ? atoi(words[1]) : 0, last = count > 2 ? first + atoi(words[2]) : (int)all.size();
    char *from, *out;
    CHECK(cudaMalloc(&from, BYTES));
    CHECK(cudaMalloc(&out, BYTES));
    CHECK(cudaMemset(from, 1, BYTES));
    for (int n = first; n < last && n < (int)all.size(); n++) {
        const launch &l = all[n];
        auto *kernel = l.size == 16 && !l.keeps ? copy<16, false> : l.size == 16 ? copy<16, true> : l.size == 8 ? copy<8, true> : copy<4, true>;
        printf("%d %d %s", n, l.size, l.keeps ? "ca" : "cg");
        for (int i = 0; i < LANES; i++)
            if (l.p.from[i] != NONE)
                printf(" %d:%d:%d", i, l.p.from[i], l.p.to[i]);
        printf("\n");
        kernel<<<1, LANES, BYTES>>>(l.p, from, out);
        CHECK(cudaDeviceSynchronize());
    }
    return 0;
}
