/* SPDX-License-Identifier: Apache-2.0
 * One counter that every warp updates: the compiler has each warp's lanes add first (REDUX), and what is left is for the
 * block to collect (cases.txt). Made by
 *     nvcc -O3 -arch=sm_90 -cubin counters.cu -o counters.sm_90.cubin */

extern "C" __global__ void warps_count(const unsigned *in, unsigned *count)
{
    atomicAdd(count, in[blockIdx.x * blockDim.x + threadIdx.x] >> 28);
}

extern "C" __global__ void blocks_count(const unsigned *in, unsigned *count)
{
    __shared__ unsigned own;
    if (threadIdx.x == 0)
        own = 0;
    __syncthreads();
    atomicAdd(&own, in[blockIdx.x * blockDim.x + threadIdx.x] >> 28);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(count, own);
}

/* Each warp has a counter of its own: there is nothing to collect. */
extern "C" __global__ void own_counters(const unsigned *in, unsigned *count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&count[i / 32], in[i] >> 28);
}

/* Lanes that add 1 to one word of shared memory are counted by one instruction (ATOMS.POPC.INC). */
extern "C" __global__ void few_bins(const unsigned *in, unsigned *count)
{
    __shared__ unsigned own[4];
    if (threadIdx.x < 4)
        own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&own[in[blockIdx.x * blockDim.x + threadIdx.x] >> 30], 1u);
    __syncthreads();
    if (threadIdx.x < 4)
        atomicAdd(&count[threadIdx.x], own[threadIdx.x]);
}
