/* SPDX-License-Identifier: Apache-2.0
 * Every thread adds 1 to the same word. ptxas sees that the address is the same for the whole warp: one lane adds how many
 * there are. */
extern "C" __global__ void uniform(int *sum, int n)
{
    if (threadIdx.x < n)
        atomicAdd(sum, 1);
}
