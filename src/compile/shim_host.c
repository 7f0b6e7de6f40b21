/* SPDX-License-Identifier: Apache-2.0
 * Declarations for the host half of a .cu file, so that clang, which compiles the device half only,
 * can read over it. Nothing of it ever runs. Names are those of the CUDA Runtime API's manual. */
#include "compile/shim.h"

/* Whatever it is called with, it is a call. */
#define ANY(name) "template <class... A> inline cudaError_t " name "(A &&...) { return 0; }\n"

const char ifl_cuda_host_shim[] =
    "#pragma once\n"
    "enum { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorUnknown = 999 "
    "};\n"
    "enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,\n"
    "                      cudaMemcpyDeviceToDevice, cudaMemcpyDefault };\n"
    "enum { cudaStreamNonBlocking = 1, cudaMemAttachGlobal = 1, cudaEventDisableTiming = 2,\n"
    "       cudaHostAllocDefault = 0, cudaHostAllocMapped = 2, cudaCpuDeviceId = -1 };\n"
    "enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8,\n"
    "       cudaFuncAttributePreferredSharedMemoryCarveout = 9 };\n"
    "enum { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1 };\n"
    "enum { cudaDevAttrMultiProcessorCount = 16, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97 };\n"
    "typedef struct CUevent_st *cudaEvent_t;\n"
    "struct cudaDeviceProp { char name[256]; size_t totalGlobalMem, sharedMemPerBlock,\n"
    "  sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem; int major, minor, "
    "warpSize,\n"
    "  regsPerBlock, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate,\n"
    "  memoryClockRate, memoryBusWidth, multiProcessorCount, l2CacheSize,\n"
    "  maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor; };\n"
    "inline const char *cudaGetErrorString(cudaError_t) { return \"\"; }\n"
    "inline const char *cudaGetErrorName(cudaError_t) { return \"\"; }\n" /**/
    ANY("cudaMalloc") ANY("cudaMallocManaged") ANY("cudaMallocHost") ANY("cudaHostAlloc")
        ANY("cudaMallocPitch") ANY("cudaMallocAsync") ANY("cudaFree") ANY("cudaFreeHost") ANY(
            "cudaFreeAsync") ANY("cudaMemcpy") ANY("cudaMemcpyAsync") ANY("cudaMemcpy2D")
            ANY("cudaMemcpyToSymbol") ANY("cudaMemcpyFromSymbol") ANY("cudaGetSymbolAddress") ANY(
                "cudaMemset") ANY("cudaMemsetAsync") ANY("cudaMemPrefetchAsync")
                ANY("cudaMemGetInfo") ANY("cudaDeviceSynchronize") ANY("cudaDeviceReset") ANY(
                    "cudaDeviceSetLimit") ANY("cudaDeviceGetAttribute") ANY("cudaSetDevice")
                    ANY("cudaGetDevice") ANY("cudaGetDeviceCount") ANY("cudaGetDeviceProperties")
                        ANY("cudaGetLastError") ANY("cudaPeekAtLastError") ANY("cudaEventCreate")
                            ANY("cudaEventCreateWithFlags") ANY("cudaEventRecord") ANY(
                                "cudaEventSynchronize") ANY("cudaEventElapsedTime")
                                ANY("cudaEventDestroy") ANY("cudaStreamCreate") ANY(
                                    "cudaStreamCreateWithFlags") ANY("cudaStreamSynchronize")
                                    ANY("cudaStreamDestroy") ANY("cudaStreamWaitEvent") ANY(
                                        "cudaFuncSetAttribute") ANY("cudaFuncSetCacheConfig")
                                        ANY("cudaLaunchKernel") ANY("cudaLaunchCooperativeKernel")
                                            ANY("cudaProfilerStart") ANY("cudaProfilerStop")
                                                ANY("cudaOccupancyMaxActiveBlocksPerMultiprocessor")
                                                    ANY("cudaOccupancyMaxPotentialBlockSize");
