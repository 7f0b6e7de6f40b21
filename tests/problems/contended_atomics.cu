/* SPDX-License-Identifier: Apache-2.0
 * Contended atomics: a histogram of 64 bins that every thread updates in global memory, or collected by each block in
 * shared memory first. */
constexpr int bins = 64;

extern "C" __global__ void slow(int n, const unsigned *in, unsigned *out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&out[in[i] % bins], 1u);
}

extern "C" __global__ void fast(int n, const unsigned *in, unsigned *out)
{
    __shared__ unsigned own[bins];
    if (threadIdx.x < bins)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] % bins], 1u);
    __syncthreads();
    if (threadIdx.x < bins)
        atomicAdd(&out[threadIdx.x], own[threadIdx.x]);
}
