// SPDX-License-Identifier: Apache-2.0
__device__ inline float get(const float *x, long i)
{
    return x[i];
}

__global__ void read(const float *x, float *y, long offset)
{
    y[threadIdx.x] = get(x, threadIdx.x + offset);
}

__global__ void stage(float *y, int offset)
{
    __shared__ float s[32];
    s[threadIdx.x + offset] = y[threadIdx.x];
}
// What fault.ptx names as its source. The tests show these lines; nothing compiles them.
