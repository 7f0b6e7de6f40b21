/* SPDX-License-Identifier: Apache-2.0
 * How fast blocks of 32 to 1,024 threads that do nothing, or store a word a thread into 1 MiB, follow each other, for src/time/. Run it
 * under Nsight Compute, which gives the time of each launch.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o start_probe start_probe.cu; start_probe */
#include <cstdio>
#include <cstdlib>

__global__ void nothing() {}
__global__ void store(unsigned *a) { a[(blockIdx.x * blockDim.x + threadIdx.x) % (1 << 18)] = threadIdx.x; }
__global__ void few(unsigned *a)
{
    if (threadIdx.x == 0)
        a[blockIdx.x % 1024] = 1;
}

int main()
{
    unsigned *a;
    cudaMalloc(&a, 1 << 20);
    for (int threads : {32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024}) {
        const int blocks = (1 << 25) / threads > 200000 ? 200000 : (1 << 25) / threads;
        nothing<<<blocks, threads>>>();
        store<<<blocks, threads>>>(a);
        few<<<blocks, threads>>>(a);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
