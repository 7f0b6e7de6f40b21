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
    // What an H200 says (driver 580.159.04): sixteenths of its L2 may be set aside, ten at most, three at first.
    size_t first, set, most = gpu.persistingL2CacheMaxSize;
    int ipc;
    CHECK(cudaDeviceGetAttribute(&ipc, cudaDevAttrIpcEventSupport, device));
    CHECK(cudaDeviceGetLimit(&first, cudaLimitPersistingL2CacheSize));
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));
    CHECK(cudaDeviceGetLimit(&set, cudaLimitPersistingL2CacheSize));
    printf("persisting L2: %zu at most, %zu at first, %zu set, more: %s\n", most, first, set,
           cudaGetErrorName(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most + 1)));
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most));
    printf("window of an access policy: %d bytes, events passed on: %d %d\n", gpu.accessPolicyMaxWindowSize,
           gpu.ipcEventSupported, ipc);
    return 0;
}
