// SPDX-License-Identifier: Apache-2.0
// A kernel whose code the fuzz target of machine code replaces: two buffers, a number, dynamic
// shared memory and a word of local memory. It is short: what is left of it follows shorter inputs.
extern "C" __global__ void room(const unsigned *in, unsigned *out, int n)
{
    extern __shared__ unsigned near[];
    volatile unsigned own[2];
    own[n & 1] = in[0];
    out[0] = own[0] + near[n];
}
