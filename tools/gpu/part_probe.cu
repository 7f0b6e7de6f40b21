// SPDX-License-Identifier: Apache-2.0
// Stores of parts of sectors, in order and at random, and flags that many threads set, for src/time/time_memory.c and src/cache: what does the
// DRAM read to fill them, and how long does it take?
// Nsight Compute tells, in the order of the launches (kernel; blocks, threads, bytes between the words):
//     nvcc -arch=sm_90 -O3 -w -o part_probe part_probe.cu
//     ncu --clock-control none --metrics gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_srcunit_tex.sum,\
//         lts__t_requests_srcunit_tex.sum part_probe
// What an H200 takes: tests/gpu/h200/parts.txt.
#include <cstdio>

template <class T> __global__ void apart(char *p, int bytes)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    *(T *)(p + i * bytes) = (T)i;
}
// Of structures of `bytes` bytes, the word at `first` is read and written again.
template <class T> __global__ void one_of(char *p, int bytes)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    T *at = (T *)(p + i * bytes);
    *at = *at + (T)1;
}
// A thread in `every` finds something, and says so.
__global__ void flagged(const int *in, int *flag, int every)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((in[i] + i) % every == 0)
        *flag = 1;
}
__global__ void flagged_and_stored(const int *in, int *out, int *flag, int every)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((in[i] + i) % every == 0) {
        out[i] = i;
        *flag = 1;
    }
}
__global__ void flagged_volatile(const int *in, volatile int *flag, int every)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((in[i] + i) % every == 0)
        *flag = 1;
}
__global__ void flagged_by_block(const int *in, int *flag, int every)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] == 0 && threadIdx.x == 0)
        *flag = 1;
}
int main()
{
    char *p;
    cudaMalloc(&p, 1u << 30);
    cudaMemset(p, 0, 1u << 30);
    for (int bytes : {8, 16, 24, 32, 40, 48, 64, 72, 96, 128, 136, 256}) {
        for (int blocks : {512, 4096}) {
            if (bytes % 8 == 0)
                apart<double><<<blocks, 256>>>(p, bytes);
            apart<float><<<blocks, 256>>>(p, bytes);
            one_of<float><<<blocks, 256>>>(p, bytes);
        }
    }
    for (int bytes : {1, 2, 4, 5, 12, 20, 28, 36})
        if (bytes % 4 == 0) {
            apart<float><<<4096, 256>>>(p, bytes);
            one_of<float><<<4096, 256>>>(p, bytes);
        } else
            apart<char><<<4096, 256>>>(p, bytes);
    const int *in = (const int *)p;
    cudaMemset(p, 0, 1u << 30);
    int *flag = (int *)(p + (1u << 29));
    for (int blocks : {256, 1024, 4096, 16384})
        for (int every : {1, 4, 32, 256, 4096}) {
            flagged<<<blocks, 256>>>(in, flag, every);
            flagged_volatile<<<blocks, 256>>>(in, flag, every);
            flagged_and_stored<<<blocks, 256>>>(in, flag + 1024, flag, every);
        }
    for (int blocks : {256, 1024, 4096, 16384})
        for (int threads : {32, 256, 1024})
            flagged_by_block<<<blocks, threads>>>(in, flag, 1);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
