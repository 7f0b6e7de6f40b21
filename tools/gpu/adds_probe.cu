// SPDX-License-Identifier: Apache-2.0
// Atomic sums of all threads whose old value nobody asks for, or everybody: to a word of each block, to words at random, to words of
// a table that each warp passes in order, for src/time/time_memory.c.
// Nsight Compute tells, in the order of the launches (kernel; blocks, threads, words, floats between them):
//     nvcc -arch=sm_90 -O3 -w -o adds_probe adds_probe.cu
//     ncu --clock-control none --metrics gpu__time_duration.sum,lts__t_requests_srcunit_tex_op_red.sum,lts__t_sectors_op_red.sum adds_probe
// What an H200 takes: tests/gpu/h200/adds.txt.
#include <cstdio>

static __device__ unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}
template <class T> static __device__ void add(T *at) { atomicAdd(at, (T)1); }

template <class T> __global__ void own(T *p, int words, int apart, int times)
{
    for (int k = 0; k < times; k++)
        add(p + (size_t)(blockIdx.x % words) * apart);
}
template <class T> __global__ void at_random(T *p, int words, int apart, int times)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < times; k++)
        add(p + (size_t)(mixed(i * 64 + k) % words) * apart);
}
template <class T> __global__ void in_order(T *p, int words, int apart, int times)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < times; k++)
        add(p + (size_t)((i + k * 32) % words) * apart);
}
__global__ void fetched(unsigned *p, int words, int apart, int times)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int k = 0; k < times; k++)
        sum += atomicAdd(p + (size_t)(mixed(i * 64 + k) % words) * apart, 1);
    if (sum == 0x12345678)
        p[1 << 24] = sum;
}
template <class T> static void launch(void (*kernel)(T *, int, int, int), T *p)
{
    static const int words[] = {1, 2, 4, 17, 64, 256, 1024, 16384, 1 << 20};
    for (int w : words) {
        kernel<<<1024, 256>>>(p, w, 1, 1);
        kernel<<<1024, 256>>>(p, w, 1, 8);
        if (w < 1 << 20)
            kernel<<<1024, 256>>>(p, w, 32, 8);
    }
}
int main()
{
    void *p;
    cudaMalloc(&p, 1 << 28);
    cudaMemset(p, 0, 1 << 28);
    for (int blocks : {132, 1056, 4224})
        for (int apart : {1, 8, 32, 1024})
            for (int times : {1, 8}) {
                own<<<blocks, 256>>>((float *)p, 1 << 16, apart, times);
                own<<<blocks, 256>>>((unsigned *)p, 1 << 16, apart, times);
            }
    launch(at_random<unsigned>, (unsigned *)p);
    launch(at_random<float>, (float *)p);
    launch(at_random<double>, (double *)p);
    launch(in_order<float>, (float *)p);
    launch(fetched, (unsigned *)p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
