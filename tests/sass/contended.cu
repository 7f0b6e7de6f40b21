// SPDX-License-Identifier: Apache-2.0
// All threads of a block add to one float of shared memory, each `trips` times, in a loop whose count the compiler keeps in a
// uniform register: nvcc -O3 -arch=sm_N -cubin contended.cu -o contended.sm_N.cubin, for 75, 90 and 120.
extern "C" __global__ void contended(const unsigned *place, float *out, int trips)
{
    __shared__ float sums[32];
    if (threadIdx.x < 32)
        sums[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < trips; k++)
        atomicAdd(sums + place[(blockIdx.x * trips + k) * blockDim.x + threadIdx.x], 1.0f);
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = sums[threadIdx.x];
}

// All lanes but the first sleep until it has said that it went on behind the place where they meet.
extern "C" __global__ void sleeping(int *flag, int *out)
{
    if (threadIdx.x)
        while (atomicAdd(flag, 0) == 0)
            __nanosleep(100);
    out[threadIdx.x] += out[31 - threadIdx.x] + 1;
    if (!threadIdx.x)
        atomicExch(flag, 1);
}
