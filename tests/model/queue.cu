// SPDX-License-Identifier: Apache-2.0
// Blocks that fetch work from a queue: few of them get some, and that takes long.
//     nvcc -arch=sm_90 -O3 -cubin -o queue.sm_90.cubin queue.cu
__global__ void fetches(int *next, float *out, int items, int steps)
{
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(next, 1);
        __syncthreads();
        const int own = item;
        __syncthreads();
        if (own >= items)
            return;
        float x = out[own];
        for (int i = 0; i < steps; i++)
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
        out[own] = x;
    }
}
