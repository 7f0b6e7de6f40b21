// SPDX-License-Identifier: Apache-2.0
// The functions of linked_kernels.cu. One calls the other itself.
__device__ __noinline__ float up(float x)
{
    return x + 100;
}

__device__ __noinline__ float down(float x)
{
    return x - 100;
}

extern __device__ float (*const shifts[2])(float);
__device__ float (*const shifts[2])(float) = {up, down};

__device__ float scaled(float x, int lane)
{
    return lane % 3 ? x * 4 : up(x);
}
