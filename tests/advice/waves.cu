/* SPDX-License-Identifier: Apache-2.0
 * Grids just above a whole wave or just above the number of SMs, and a literal without an f where memory takes the time
 * (cases.txt). Made by
 *     nvcc -O3 -arch=sm_90 -cubin waves.cu -o waves.sm_90.cubin */

static __device__ __forceinline__ float smooth(const float *s, int times)
{
    float v = s[threadIdx.x];
    for (int t = 0; t < times; t++)
        v = v * 0.999f + s[(threadIdx.x + t) & 1023];
    return v;
}

/* Each block does so many parts one after the other; the shared array is as large as the launch says. */
extern "C" __global__ void __launch_bounds__(1024) parts(const float *in, float *out, int count, int times)
{
    extern __shared__ float of_launch[];
    for (int k = 0; k < count; k++) {
        const int i = (blockIdx.x * count + k) * blockDim.x + threadIdx.x;
        of_launch[threadIdx.x] = in[i];
        __syncthreads();
        const float v = smooth(of_launch, times);
        __syncthreads();
        out[i] = v;
    }
}

/* One element a thread, and a shared array of fixed size. */
extern "C" __global__ void __launch_bounds__(1024) elements(const float *in, float *out, int times)
{
    __shared__ float fixed[1024];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    fixed[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = smooth(fixed, times);
}

extern "C" __global__ void blend_double(const float *a, const float *b, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0.3 * a[i] + 0.7 * b[i];
}

extern "C" __global__ void blend_float(const float *a, const float *b, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0.3f * a[i] + 0.7f * b[i];
}
