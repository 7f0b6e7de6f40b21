// SPDX-License-Identifier: Apache-2.0
// Structures of `words` floats that each thread writes word by word, for src/time/time_memory.c: how often does a sector reach the L2?
// Nsight Compute tells, in the order of the launches (words; blocks and threads; cycles between stores):
//     l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum, lts__t_sectors_srcunit_tex.sum
//     nvcc -arch=sm_90 -O3 -w -o structure_probe structure_probe.cu
// What an H200 counted: tests/gpu/h200/structures.txt.
#include <cstdio>

__global__ void structures(float *p, int words, int wait)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < words; k++) {
        p[i * words + k] = k;
        if (wait) {
            const long long until = clock64() + wait;
            while (clock64() < until)
                continue;
        }
    }
}
template <int W> __global__ void unrolled(float *p)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < W; k++)
        p[i * W + k] = k;
}
// Read first, then written.
template <int W> __global__ void updated(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v[W];
        for (int k = 0; k < W; k++)
            v[k] = p[i * W + k];
        for (int k = 0; k < W; k++)
            p[i * W + k] = v[k] * 1.01f + v[(k + 1) % W];
    }
}
// Each warp writes one word of `lines` lines, `rounds` times, another word each round.
__global__ void rounds_of(float *p, int lines, int rounds)
{
    float *own = p + ((size_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * lines * 32;
    const int lane = threadIdx.x % 32;
    for (int r = 0; r < rounds; r++)
        if (lane < lines)
            own[lane * 32 + r] = r;
}
int main()
{
    float *p;
    cudaMalloc(&p, 1u << 30);
    cudaMemset(p, 0, 1u << 30);
    const int words[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 16};
    for (int w : words)
        for (int shape = 0; shape < 4; shape++)
            for (int wait : {0, 40, 200, 1000}) {
                const int blocks[] = {132, 132, 1056, 4096}, threads[] = {32, 256, 256, 256};
                structures<<<blocks[shape], threads[shape]>>>(p, w, wait);
            }
    unrolled<2><<<4096, 256>>>(p); unrolled<3><<<4096, 256>>>(p); unrolled<4><<<4096, 256>>>(p); unrolled<5><<<4096, 256>>>(p);
    unrolled<6><<<4096, 256>>>(p); unrolled<7><<<4096, 256>>>(p); unrolled<8><<<4096, 256>>>(p); unrolled<12><<<4096, 256>>>(p);
    unrolled<3><<<132, 256>>>(p); unrolled<6><<<132, 256>>>(p); unrolled<8><<<132, 256>>>(p); unrolled<12><<<132, 256>>>(p);
    unrolled<3><<<132, 32>>>(p); unrolled<6><<<132, 32>>>(p); unrolled<8><<<132, 32>>>(p); unrolled<12><<<132, 32>>>(p);
    for (int lines : {1, 2, 4, 8, 16, 32})
        for (int threads : {32, 256, 1024})
            rounds_of<<<132, threads>>>(p, lines, 8);
    updated<3><<<4096, 256>>>(p, 1 << 20); updated<6><<<4096, 256>>>(p, 1 << 20);
    updated<9><<<4096, 256>>>(p, 1 << 20); updated<14><<<4096, 256>>>(p, 1 << 20);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
