// SPDX-License-Identifier: Apache-2.0
// Threads whose numbers are above a limit take so many steps more each, in a loop, and then meet the others, that have nothing to do, at
// a barrier of the block within a loop, before which the compiler puts a WARPSYNC of the whole warp.
extern "C" __global__ void take_steps(const int *numbers, int *to, int all, int limit)
{
    int sum = 0;
    for (int at = threadIdx.x; at < all; at += blockDim.x) {
        const int steps = numbers[at] - limit;
        if (steps > 0) {
            for (int step = 0; step < steps; step++)
                sum += to[step & 7] ^ step;
            atomicAdd(&to[all], sum);
        }
        __syncthreads();
    }
    to[all + 1 + threadIdx.x] = sum;
}
