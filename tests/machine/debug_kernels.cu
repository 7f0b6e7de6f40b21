// SPDX-License-Identifier: Apache-2.0
// Code for a debugger (-G): ptxas then keeps every variable in memory and every return where the source has it.

static __device__ int twice(int x)
{
    return 2 * x;
}

// Half of each warp returns before the barrier, which then waits for the others alone.
extern "C" __global__ void returns_early(float *out, int n)
{
    __shared__ int values[64];
    const int i = threadIdx.x;
    values[i] = -1;
    if (i % 32 >= n)
        return;
    values[i] = twice(i);
    __syncthreads();
    out[i] = values[i ^ 1];
}

// Some return from a switch and wait where its branches meet, for those that wait at the barrier.
extern "C" __global__ void returns_from_a_switch(float *out, int n)
{
    __shared__ int values[32];
    const int i = threadIdx.x;
    values[i] = i;
    switch (i / 8) {
    case 0:
        out[i] = 9;
        return;
    case 1:
        if (n > i)
            return;
        break;
    case 2:
        for (int k = 0; k < n; k++) {
            out[i] += k;
            if (out[i] > 100)
                return;
        }
    }
    __syncthreads();
    out[i] = values[i ^ 1];
}
