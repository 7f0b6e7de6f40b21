/* SPDX-License-Identifier: Apache-2.0
 * Accesses below the kernel's own shared memory, which begins behind the 1 KiB that the system reserves (sm_90 and
 * later): a GPU goes on. make.sh of tests/cubin tells how such files are made. */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void before(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[(int)threadIdx.x - 1];
}

extern "C" __global__ void write_before(int *out)
{
    __shared__ int s[64];
    s[(int)threadIdx.x - 2] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void far_before(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[(int)threadIdx.x - 300];
}

extern "C" __global__ void behind(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x + 300] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

/* The system's own code meets there. */
extern "C" __global__ void groups(int *out)
{
    __shared__ cg::block_tile_memory<128> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    tile.sync();
    out[threadIdx.x] = tile.thread_rank();
}
