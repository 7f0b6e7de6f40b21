// SPDX-License-Identifier: Apache-2.0
// What products of a warp group (wgmma) and bulk copies take of shared memory: run it under Nsight Compute, which counts wavefronts and
// reads of the banks. The matrices are zeros; what counts is where they lie.
//     nvcc -gencode arch=compute_90a,code=sm_90a -std=c++17 -O3 -w -o wgmma_shared_probe wgmma_shared_probe.cu; wgmma_shared_probe
// What an H200 counts: tests/gpu/h200/wgmma_shared.txt.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

enum { TRIPS = 64, THREADS = 128 };

// PTX ISA, "Matrix descriptor": start, leading and stride byte offsets by 16; swizzle 0: none, 1: 128 bytes, 2: 64, 3: 32.
static __device__ uint64_t descriptor(uint32_t at, uint32_t leading, uint32_t stride, uint64_t swizzle)
{
    return (uint64_t)(at >> 4 & 0x3fff) | (uint64_t)(leading >> 4 & 0x3fff) << 16 | (uint64_t)(stride >> 4 & 0x3fff) << 32 | swizzle << 62;
}

template <bool FROM_REGISTERS> static __device__ void product_8(float *d, const uint32_t *r, uint64_t a, uint64_t b)
{
    if (FROM_REGISTERS)
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "l"(a), "l"(b));
}

template <bool FROM_REGISTERS> static __device__ void product_64(float *d, const uint32_t *r, uint64_t a, uint64_t b)
{
    if (FROM_REGISTERS)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, {%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                     : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                     : "l"(a), "l"(b));
}

template <bool FROM_REGISTERS> static __device__ void product_128(float *d, const uint32_t *r, uint64_t a, uint64_t b)
{
    if (FROM_REGISTERS)
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, {%64, %65, %66, %67}, %68, 1, 1, 1, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                     : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                     : "l"(a), "l"(b));
}

template <int N, bool FROM_REGISTERS> static __device__ void product(float *d, const uint32_t *r, uint64_t a, uint64_t b)
{
    if constexpr (N == 8)
        product_8<FROM_REGISTERS>(d, r, a, b);
    else if constexpr (N == 64)
        product_64<FROM_REGISTERS>(d, r, a, b);
    else
        product_128<FROM_REGISTERS>(d, r, a, b);
}

// One warp group, TRIPS products of 64 x N x 16; with SWIZZLE rows of 128, 64, 32 and 16 bytes.
template <int N, int SWIZZLE, bool FROM_REGISTERS> __global__ void wgmma(float *to)
{
    extern __shared__ __align__(1024) uint8_t tile[];
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(tile), row = SWIZZLE == 1 ? 128 : SWIZZLE == 2 ? 64 : SWIZZLE == 3 ? 32 : 16;
    for (int i = threadIdx.x; i < 16384; i += THREADS)
        ((uint32_t *)tile)[i] = 0;
    __syncthreads();
    const uint64_t a = descriptor(at, SWIZZLE ? 16 : 128, SWIZZLE ? 8 * row : 256, SWIZZLE),
                   b = descriptor(at + 32768, SWIZZLE ? 16 : 128, SWIZZLE ? 8 * row : 256, SWIZZLE);
    float d[N / 2] = {};
    const uint32_t r[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int trip = 0; trip < TRIPS; trip++) {
        product<N, FROM_REGISTERS>(d, r, a, b);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    float sum = 0;
    for (int i = 0; i < N / 2; i++)
        sum += d[i];
    if (sum == 12345)
        *to = sum;
}

// The same without products.
__global__ void nothing(float *to)
{
    extern __shared__ __align__(1024) uint8_t tile[];
    for (int i = threadIdx.x; i < 16384; i += THREADS)
        ((uint32_t *)tile)[i] = 0;
    __syncthreads();
    if (((float *)tile)[threadIdx.x] == 12345)
        *to = 1;
}

// One thread brings, or stores, TRIPS times so many bytes.
__global__ void bulk_load(const uint8_t *from, uint32_t bytes, float *to)
{
    extern __shared__ __align__(1024) uint8_t tile[];
    __shared__ uint64_t object;
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(tile), of = (uint32_t)__cvta_generic_to_shared(&object);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(of) : "memory");
    __syncthreads();
    for (int trip = 0; trip < TRIPS; trip++) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(of), "r"(bytes) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at), "l"(from), "r"(bytes), "r"(of)
                         : "memory");
        }
        asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(of), "r"(trip & 1) : "memory");
    }
    if (((float *)tile)[threadIdx.x] == 12345)
        *to = 1;
}
__global__ void bulk_store(uint8_t *to, uint32_t bytes)
{
    extern __shared__ __align__(1024) uint8_t tile[];
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0)
        for (int trip = 0; trip < TRIPS; trip++) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at), "r"(bytes) : "memory");
            asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
        }
}

template <int N, int SWIZZLE, bool FROM_REGISTERS> static void ask(float *to)
{
    cudaFuncSetAttribute(wgmma<N, SWIZZLE, FROM_REGISTERS>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    wgmma<N, SWIZZLE, FROM_REGISTERS><<<1, THREADS, 65536>>>(to);
}
template <int N> static void ask_all(float *to)
{
    ask<N, 0, false>(to), ask<N, 1, false>(to), ask<N, 2, false>(to), ask<N, 3, false>(to), ask<N, 1, true>(to);
}

int main()
{
    uint8_t *memory;
    float *to;
    cudaMalloc(&memory, 65536);
    cudaMalloc(&to, 4);
    cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    nothing<<<1, THREADS, 65536>>>(to);
    ask_all<8>(to), ask_all<64>(to), ask_all<128>(to);
    for (uint32_t bytes : {16, 128, 1024, 16384})
        bulk_load<<<1, THREADS, 16384>>>(memory, bytes, to);
    for (uint32_t bytes : {16, 128, 1024, 16384})
        bulk_store<<<1, THREADS, 16384>>>(memory, bytes);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
