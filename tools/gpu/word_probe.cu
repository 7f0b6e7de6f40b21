// SPDX-License-Identifier: Apache-2.0
// Many warps that write or read one word, or words so many apart: how long does each request keep the part of the L2 that has it?
//     nvcc -arch=sm_90 -O3 -w -o word_probe word_probe.cu
//     ncu --clock-control none --cache-control all --metrics gpu__time_duration.sum,lts__t_requests_srcunit_tex.sum word_probe
// What an H200 takes: tests/gpu/h200/words.txt.
#include <cstdio>
__global__ void stores(volatile int *p, int stride, int times, int lanes)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if ((int)(threadIdx.x % 32) < lanes)
        for (int k = 0; k < times; k++)
            p[(size_t)warp % 64 * stride] = k;
}
__global__ void blocks_apart(volatile int *p, int stride, int times)
{
    for (int k = 0; k < times; k++)
        p[(size_t)(blockIdx.x % 132) * stride] = k;
}
__global__ void loads(volatile int *p, int stride, int times, int *out)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int sum = 0;
    for (int k = 0; k < times; k++)
        sum += p[(size_t)warp % 64 * stride];
    if (sum == 12345)
        *out = sum;
}
__global__ void once(int *p, int stride) { p[(size_t)((blockIdx.x * blockDim.x + threadIdx.x) / 32) % 64 * stride] = 1; }
int main()
{
    int *p;
    cudaMalloc(&p, 1 << 28);
    cudaMemset(p, 0, 1 << 28);
    for (int stride : {0, 1, 8, 32, 1024, 65536}) {
        stores<<<264, 256>>>(p, stride, 64, 32);
        stores<<<264, 256>>>(p, stride, 64, 1);
        stores<<<1056, 256>>>(p, stride, 64, 32);
        stores<<<132, 32>>>(p, stride, 1024, 32);
        stores<<<1, 1024>>>(p, stride, 1024, 32);
        stores<<<8, 256>>>(p, stride, 1024, 32);
        blocks_apart<<<264, 256>>>(p, stride, 64);
        loads<<<264, 256>>>(p, stride, 64, p + 9999999);
        loads<<<1056, 256>>>(p, stride, 64, p + 9999999);
        once<<<32768, 256>>>(p, stride);
        once<<<4096, 256>>>(p, stride);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
