// SPDX-License-Identifier: Apache-2.0
// Shuffles, loads from shared memory and arithmetic in the same loop, for src/time/time_memory.c: how many pass an SM in a cycle, and what
// do warps wait for? Each step of a loop has four shuffles, loads, integer additions and fused products at most; each is a chain of its own.
// Nsight Compute tells, in the order of the launches (steps of each kind; warps of an SM):
//     sm__cycles_elapsed.max, smsp__average_warps_issue_stalled_*
//     nvcc -arch=sm_90 -O3 -w -o exchange_probe exchange_probe.cu
// What an H200 took: tests/gpu/h200/exchanges.txt. The kernels of tests/model/exchanges.sm_90.cubin alone: -DTESTED -cubin.
#include <cstdio>

template <int SHUFFLES, int LOADS, int ADDS, int PRODUCTS> __global__ void steps_of(unsigned *out, int rounds)
{
    __shared__ unsigned words[1024];
    const unsigned own = (unsigned)__cvta_generic_to_shared(words + threadIdx.x);
    words[threadIdx.x] = own;
    __syncthreads();
    unsigned exchanged[4] = {threadIdx.x, 1, 2, 3}, at[4] = {own, own, own, own}, sum[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float product[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int u = 0; u < 8; u++) {
#pragma unroll
            for (int k = 0; k < SHUFFLES; k++)
                asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(exchanged[k]));
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at[k]));
#pragma unroll
            for (int k = 0; k < ADDS; k++)
                asm volatile("add.u32 %0, %0, %1;" : "+r"(sum[k]) : "r"(rounds));
#pragma unroll
            for (int k = 0; k < PRODUCTS; k++)
                asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(product[k]));
        }
    unsigned all = 0;
    for (int k = 0; k < 4; k++)
        all += exchanged[k] + at[k];
    for (int k = 0; k < 8; k++)
        all += sum[k] + (unsigned)product[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

template <int S, int L, int A, int P> static void launch(unsigned *out)
{
    const int sms = 132, rounds = 64;
    for (int warps : {4, 8, 16, 32})
        steps_of<S, L, A, P><<<sms, warps * 32>>>(out, rounds);
    steps_of<S, L, A, P><<<2 * sms, 1024>>>(out, rounds);
}
int main()
{
    unsigned *out;
    cudaMalloc(&out, 1 << 22);
#ifndef TESTED
    launch<4, 0, 0, 0>(out);
    launch<4, 0, 4, 0>(out);
    launch<4, 0, 8, 0>(out);
#endif
    launch<4, 0, 0, 8>(out);
#ifndef TESTED
    launch<1, 0, 8, 0>(out);
#endif
    launch<1, 0, 4, 4>(out);
    launch<0, 4, 0, 0>(out);
#ifndef TESTED
    launch<0, 4, 4, 0>(out);
#endif
    launch<0, 4, 8, 0>(out);
#ifndef TESTED
    launch<0, 4, 0, 8>(out);
#endif
    launch<0, 1, 8, 0>(out);
#ifndef TESTED
    launch<0, 1, 4, 4>(out);
#endif
    launch<0, 1, 2, 8>(out);
#ifndef TESTED
    launch<2, 2, 0, 0>(out);
    launch<2, 2, 4, 0>(out);
    launch<2, 1, 6, 2>(out);
    launch<0, 0, 8, 0>(out);
#endif
    launch<0, 0, 4, 8>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
