/* SPDX-License-Identifier: Apache-2.0
 * A local array: a table that each thread fills and indexes by its data cannot stay in registers. The table is the same
 * for all threads of a block, so that shared memory holds it once. */
constexpr int entries = 32;

extern "C" __global__ void slow(int n, int steps, const unsigned *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float table[entries], total = 0;
#pragma unroll
    for (int k = 0; k < entries; k++)
        table[k] = 1.0f / (1 + k + steps);
    unsigned state = in[i];
    for (int s = 0; s < steps; s++) {
        total += table[state % entries];
        state = state * 1664525u + 1013904223u;
    }
    out[i] = total;
}

extern "C" __global__ void fast(int n, int steps, const unsigned *in, float *out)
{
    __shared__ float table[entries];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < entries)
        table[threadIdx.x] = 1.0f / (1 + threadIdx.x + steps);
    __syncthreads();
    float total = 0;
    unsigned state = in[i];
    for (int s = 0; s < steps; s++) {
        total += table[state % entries];
        state = state * 1664525u + 1013904223u;
    }
    out[i] = total;
}
