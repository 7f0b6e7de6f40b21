/* SPDX-License-Identifier: Apache-2.0
 *
 * tail: blocks run in waves, and the last wave rarely fills the GPU. One kernel, pure arithmetic: a
 * thread takes `each` elements through `rounds` fused multiply-adds. What differs is how the same
 * work is cut into blocks. Dynamic shared memory, which the kernel does not touch, says how many
 * blocks an SM holds: one large (1024 threads), or four small (256).
 *
 *   version       blocks for S SMs          what the document says of it
 *   twelve        1.5 S large               a full wave and half of one: 75 % of what is possible
 *   spread        6 S large, a quarter of   the work of one thread given to four: more blocks, more
 *                 the work each             waves; six whole ones, no tail
 *   large         1.25 S large              half of the time a quarter of the SMs works
 *   small         5 S small                 the same threads in small blocks, spread over all SMs
 *   waves_5       4.5 S large               four full waves and a half: 90 %
 *   waves_20      19.5 S large              97.5 % */

extern "C" __global__ void __launch_bounds__(1024)
    tail_work(int each, int rounds, const float *x, float *y)
{
    const int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; k++, i += threads) {
        float value = x[i];
#pragma unroll 8
        for (int r = 0; r < rounds; r++)
            value = fmaf(value, 0.5f, 0.25f);
        y[i] = value;
    }
}
