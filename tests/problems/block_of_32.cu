/* SPDX-License-Identifier: Apache-2.0
 * Blocks of 32 threads: an SM holds 32 blocks, and so 32 of its 64 warps; and each block has to be started. The launch
 * files differ, the kernels do not. */
static __device__ __forceinline__ void scale(int n, float factor, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor * in[i];
}

extern "C" __global__ void slow(int n, float factor, const float *in, float *out)
{
    scale(n, factor, in, out);
}

extern "C" __global__ void fast(int n, float factor, const float *in, float *out)
{
    scale(n, factor, in, out);
}
