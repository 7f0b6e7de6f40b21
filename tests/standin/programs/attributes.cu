// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void __launch_bounds__(256) work(float *x)
{
    __shared__ float s[300];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[255 - threadIdx.x];
}

int main()
{
    cudaFuncAttributes what;
    cudaDeviceProp gpu;
    int count, device, blocks, threads, warp;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceProperties(&gpu, device));
    CHECK(cudaFuncGetAttributes(&what, work));
    CHECK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device));
    printf("devices: %d, warp: %d %d, threads of a block: %d\n", count >= 1, gpu.warpSize, warp,
           gpu.maxThreadsPerBlock);
    printf("shared %zu, most threads %d, registers sensible: %d, sm_%d\n", what.sharedSizeBytes,
           what.maxThreadsPerBlock, what.numRegs > 0 && what.numRegs < 64, what.binaryVersion);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, work, 0, 0));
    printf("block of most occupancy: %d threads, blocks for every SM: %d\n", threads,
           blocks % gpu.multiProcessorCount == 0);
    // cuda_occupancy.h: 48 KiB less what the kernel declares, until it may have more.
    size_t before, after;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&before, work, 1, 256));
    CHECK(cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&after, work, 1, 256));
    printf("dynamic shared memory: %zu, %zu\n", before, after);
    return 0;
}
