/* SPDX-License-Identifier: Apache-2.0
 * Tiles that a block copies to shared memory by cp.async, some stages ahead of their use, for
 * src/time/: how long a pipeline takes whose tiles come from DRAM or from the L2, are the block's own
 * or those of neighbours too. Launches, in this order, of blocks of 256 threads, for 2, 3 and 4 stages
 * of 8 KiB, with 4 or 32 FMAs a float of the tile, and one or two blocks an SM (shared memory is
 * asked for):
 *     own     every tile is the block's own
 *     row     W blocks in a row read the same tiles (16)
 *     column  blocks W apart read the same tiles (16)
 *     again   the blocks' own, of which each is read four times in a row of rounds
 *     loads   own, by loads to registers and stores to shared memory, a stage ahead
 * The program prints a row a launch: NAME STAGES FMAS BLOCKS TILES SHARED_BYTES. Nsight Compute tells
 * the times.
 *     nvcc -arch=native -std=c++17 -O3 -w -o pipeline_probe pipeline_probe.cu */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

enum { THREADS = 256, CHUNKS = 2, TILE = THREADS * CHUNKS /* of 16 bytes */, SMS = 132, WIDTH = 16 };
enum way { OWN, ROW, COLUMN, AGAIN, LOADS, WAYS };
static const char *const names[] = {"own", "row", "column", "again", "loads"};

template <way WAY> static __device__ const uint4 *tile_of(const uint4 *data, unsigned tiles, unsigned t)
{
    const unsigned block = blockIdx.x,
                   sequence = WAY == ROW ? block / WIDTH : WAY == COLUMN ? block % WIDTH : block,
                   round = tiles / 4, at = WAY == AGAIN ? t % round : t;
    return data + ((size_t)sequence * tiles + at) * TILE + threadIdx.x;
}

template <way WAY, int STAGES>
static __device__ void fetch(uint4 *shared, const uint4 *data, unsigned tiles, unsigned t)
{
    if (t < tiles) {
        const uint4 *from = tile_of<WAY>(data, tiles, t);
        uint4 *to = shared + t % STAGES * TILE + threadIdx.x;
        for (int c = 0; c < CHUNKS; c++) {
            if (WAY == LOADS)
                to[c * THREADS] = from[c * THREADS];
            else
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                             :
                             : "r"((unsigned)__cvta_generic_to_shared(to + c * THREADS)),
                               "l"(from + c * THREADS)
                             : "memory");
        }
    }
    if (WAY != LOADS)
        asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Each thread reads what its neighbour copied. */
template <int FMAS> static __device__ void use(const uint4 *tile, float sums[4])
{
    for (int c = 0; c < CHUNKS; c++) {
        const uint4 v = tile[c * THREADS + (threadIdx.x ^ 1)];
        const float words[] = {__uint_as_float(v.x), __uint_as_float(v.y), __uint_as_float(v.z),
                               __uint_as_float(v.w)};
#pragma unroll
        for (int f = 0; f < FMAS; f++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                sums[i] = fmaf(sums[i], words[i], 1.0f);
    }
}

template <way WAY, int STAGES, int FMAS>
__global__ void __launch_bounds__(THREADS) pipeline(const uint4 *data, unsigned tiles, float *out)
{
    extern __shared__ uint4 shared[];
    float sums[4] = {0, 0, 0, 0};
    for (unsigned t = 0; t + 1 < STAGES; t++)
        fetch<WAY, STAGES>(shared, data, tiles, t);
    for (unsigned t = 0; t < tiles; t++) {
        if (WAY != LOADS)
            asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        fetch<WAY, STAGES>(shared, data, tiles, t + STAGES - 1);
        use<FMAS>(shared + t % STAGES * TILE, sums);
    }
    if (sums[0] + sums[1] + sums[2] + sums[3] == 12345.0f)
        *out = sums[0];
}

template <way WAY, int STAGES, int FMAS> static void launch(const uint4 *data, float *out)
{
    for (unsigned per_sm = 1; per_sm <= 2; per_sm++) {
        const unsigned shared = (per_sm == 1 ? 120 : 80) << 10, blocks = SMS * per_sm * 2, tiles = 64;
        CHECK(cudaFuncSetAttribute(pipeline<WAY, STAGES, FMAS>,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
        pipeline<WAY, STAGES, FMAS><<<blocks, THREADS, shared>>>(data, tiles, out);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        printf("%s %d %d %u %u %u\n", names[WAY], STAGES, FMAS, blocks, tiles, shared);
    }
}

template <way WAY> static void launch_all(const uint4 *data, float *out)
{
    launch<WAY, 2, 4>(data, out);
    launch<WAY, 2, 32>(data, out);
    if (WAY == LOADS)
        return;
    launch<WAY, 3, 4>(data, out);
    launch<WAY, 3, 32>(data, out);
    launch<WAY, 4, 4>(data, out);
    launch<WAY, 4, 32>(data, out);
}

int main()
{
    const size_t bytes = (size_t)SMS * 4 * 64 * TILE * sizeof(uint4);
    uint4 *data;
    float *out;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMemset(data, 0, bytes));
    launch_all<OWN>(data, out);
    launch_all<ROW>(data, out);
    launch_all<COLUMN>(data, out);
    launch_all<AGAIN>(data, out);
    launch_all<LOADS>(data, out);
    return 0;
}
