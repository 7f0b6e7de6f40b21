// SPDX-License-Identifier: Apache-2.0
// Products of matrices that do nothing else, and others that wait for the DRAM (check_tensor.sh). Made by
//     nvcc -O3 -arch=sm_90a -ptx products.cu -o products.sm_90a.ptx
//     ptxas -O3 -arch=sm_90a products.sm_90a.ptx -o products.sm_90a.cubin
#include <cstdint>

// 64 x 64 x 16 halves by each warp group, `times` four in a row, both matrices in shared memory: zeros.
extern "C" __global__ void __launch_bounds__(256) group_products(float *out, int times)
{
    __shared__ __align__(1024) uint8_t zeros[16384];
    float d[32] = {};
    for (int i = threadIdx.x; i < 4096; i += 256)
        ((uint32_t *)zeros)[i] = 0;
    __syncthreads();
    const uint64_t at = ((uint32_t)__cvta_generic_to_shared(zeros) & 0x3ffff) >> 4 | (uint64_t)1 << 16 |
                        (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
    for (int t = 0; t < times; t++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < 4; i++)
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                         "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
                         "%30, %31}, %32, %32, 1, 1, 1, 0, 0;"
                         : F4(0), F4(4), F4(8), F4(12), F4(16), F4(20), F4(24), F4(28)
                         : "l"(at));
        asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    for (int i = 1; i < 32; i++)
        d[0] += d[i];
    out[blockIdx.x * 256 + threadIdx.x] = d[0];
}

static __device__ void multiply(float (&d)[4], uint4 a, uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// 16 x 8 x 16 halves by each warp, `times` eight that do not wait for each other.
extern "C" __global__ void __launch_bounds__(256) warp_products(float *out, int times)
{
    float d[8][4] = {};
    const uint4 a = {0, 0, 0, 0};
    for (int t = 0; t < times; t++)
#pragma unroll
        for (int i = 0; i < 8; i++)
            multiply(d[i], a, 0, 0);
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += d[i][0];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// A product for each fragment that comes from memory.
extern "C" __global__ void __launch_bounds__(256) thin_products(const uint4 *in, float *out, int times)
{
    float d[4] = {};
    for (int t = 0; t < times; t++)
        multiply(d, in[((size_t)t * gridDim.x + blockIdx.x) * 256 + threadIdx.x], 0, 0);
    out[blockIdx.x * 256 + threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
