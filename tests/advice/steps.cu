/* SPDX-License-Identifier: Apache-2.0
 * Kernels whose steps are made by scattered lanes, by remainders, and by blocks that merge; and as they would be after
 * what the advice says (cases.txt). Made by
 *     nvcc -O3 -arch=sm_90 -cubin steps.cu -o steps.sm_90.cubin */

/* NVIDIA's first reduction: interleaved addressing, with a remainder. */
extern "C" __global__ void reduce_modulo(const int *from, int *to)
{
    extern __shared__ int s[];
    const unsigned t = threadIdx.x;
    s[t] = from[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        if (t % (2 * k) == 0)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        to[blockIdx.x] = s[0];
}

/* The same with a mask. */
extern "C" __global__ void reduce_mask(const int *from, int *to)
{
    extern __shared__ int s[];
    const unsigned t = threadIdx.x;
    s[t] = from[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        if ((t & (2 * k - 1)) == 0)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        to[blockIdx.x] = s[0];
}

/* Threads side by side go on. */
extern "C" __global__ void reduce_sequential(const int *from, int *to)
{
    extern __shared__ int s[];
    const unsigned t = threadIdx.x;
    s[t] = from[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        to[blockIdx.x] = s[0];
}

/* A histogram of each block, merged by atomics; the grid is that of the launch. */
extern "C" __global__ void merge(const unsigned char *from, int n, unsigned *bins)
{
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[from[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], s[i]);
}

/* Each block has places of its own. */
extern "C" __global__ void keep_apart(const unsigned char *from, int n, unsigned *bins)
{
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[from[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[256 * blockIdx.x + i], s[i]);
}
