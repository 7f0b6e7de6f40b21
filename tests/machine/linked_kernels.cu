// SPDX-License-Identifier: Apache-2.0
// A kernel whose functions are in another file, linked with -rdc=true: linked_functions.cu.
extern __device__ float scaled(float x, int lane);
extern __device__ float (*const shifts[2])(float);

// Each lane calls twice: by the function's name, and through a table in which odd lanes find another than even ones.
extern "C" __global__ void calls_another_file(float *out, int n)
{
    const int i = threadIdx.x;
    if (i < n)
        out[i] = shifts[i % 2](scaled((float)i, i));
}
