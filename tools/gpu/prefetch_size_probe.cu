/* SPDX-License-Identifier: Apache-2.0
 * What the DRAM gives for loads that name a prefetch size (L2::64B, L2::128B, L2::256B of ld and cp.async): one word, or 64 bytes, of each
 * piece of `stride` bytes of 64 MiB are read, once. Prints a row a launch, in the order of the launches:
 *     FORM SIZE BYTES STRIDE      form: ld, cp_ca or cp_cg; size: 0 where none is named; bytes of each piece that are read
 * Under Nsight Compute with --cache-control all dram__bytes_read.sum tells what was fetched.
 *     nvcc -arch=native -std=c++17 -O3 -w -o prefetch_size_probe prefetch_size_probe.cu */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

enum { ALL_BYTES = 64 << 20, BLOCK = 256 };
enum form { LD, CP_CA, CP_CG };

#define READ(level)                                                                                \
    if (FORM == LD)                                                                                \
        asm volatile("ld.global" level ".v4.u32 {%0, %1, %2, %3}, [%4];"                           \
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));                    \
    else if (FORM == CP_CA)                                                                        \
        asm volatile("cp.async.ca.shared.global" level " [%0], [%1], 16;" ::"r"(to), "l"(from));   \
    else                                                                                           \
        asm volatile("cp.async.cg.shared.global" level " [%0], [%1], 16;" ::"r"(to), "l"(from))

/* A thread reads 16 bytes. */
template <int FORM, int SIZE> __global__ void pieces(const char *data, unsigned bytes, unsigned stride, unsigned *sink)
{
    __shared__ uint4 room[BLOCK];
    const unsigned to = (unsigned)__cvta_generic_to_shared(&room[threadIdx.x]), threads_of_piece = bytes / 16;
    const size_t me = blockIdx.x * (size_t)BLOCK + threadIdx.x;
    const char *from = data + me / threads_of_piece * stride + me % threads_of_piece * 16;
    uint4 v = {};
    if (from >= data + ALL_BYTES)
        return;
    if (SIZE == 0) {
        READ("");
    } else if (SIZE == 64) {
        READ(".L2::64B");
    } else if (SIZE == 128) {
        READ(".L2::128B");
    } else {
        READ(".L2::256B");
    }
    asm volatile("cp.async.wait_all;");
    if ((v.x ^ v.y ^ v.z ^ v.w ^ (FORM == LD ? 0 : room[threadIdx.x].x)) == 0x12345678)
        *sink = 1;
}

static const char *data;
static unsigned *sink;

template <int FORM, int SIZE> static void launch(const char *name)
{
    static const unsigned ways[][2] = {{16, 64}, {16, 128}, {16, 256}, {16, 512}, {64, 128}, {64, 256}, {128, 256}, {128, 512}};
    for (const auto &w : ways) {
        const size_t threads = (size_t)ALL_BYTES / w[1] * (w[0] / 16);
        pieces<FORM, SIZE><<<(unsigned)(threads / BLOCK), BLOCK>>>(data, w[0], w[1], sink);
        CHECK(cudaDeviceSynchronize());
        printf("%s %d %u %u\n", name, SIZE, w[0], w[1]);
    }
}

template <int FORM> static void launch_sizes(const char *name)
{
    launch<FORM, 0>(name);
    launch<FORM, 64>(name);
    launch<FORM, 128>(name);
    launch<FORM, 256>(name);
}

int main()
{
    void *all;
    CHECK(cudaMalloc(&all, ALL_BYTES));
    CHECK(cudaMemset(all, 0, ALL_BYTES));
    CHECK(cudaMalloc(&sink, sizeof *sink));
    data = (const char *)all;
    launch_sizes<LD>("ld");
    launch_sizes<CP_CA>("cp_ca");
    launch_sizes<CP_CG>("cp_cg");
    return 0;
}
