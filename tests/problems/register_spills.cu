/* SPDX-License-Identifier: Apache-2.0
 * Spills: __launch_bounds__ asks for 8 blocks of 256 threads an SM, which leaves 32 registers for 48 sums. */
constexpr int sums = 48;

static __device__ __forceinline__ void powers(int n, int steps, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], total[sums];
#pragma unroll
    for (int k = 0; k < sums; k++)
        total[k] = x + k;
    for (int s = 1; s <= steps; s++) {
        float y = in[(i + s * 32) & (n - 1)];
#pragma unroll
        for (int k = 0; k < sums; k++)
            total[k] = total[k] * y + total[(k + 1) % sums];
    }
    float all = 0;
#pragma unroll
    for (int k = 0; k < sums; k++)
        all += total[k];
    out[i] = all;
}

extern "C" __global__ void __launch_bounds__(256, 8) slow(int n, int steps, const float *in, float *out)
{
    powers(n, steps, in, out);
}

extern "C" __global__ void __launch_bounds__(256) fast(int n, int steps, const float *in, float *out)
{
    powers(n, steps, in, out);
}
