/* SPDX-License-Identifier: Apache-2.0
 * A number for a number: what these programs take for input, so that a test can name it. Knows
 * nothing of them. */
#ifndef IFL_TESTS_PROGRAMS_HASH_H
#define IFL_TESTS_PROGRAMS_HASH_H

static __device__ __forceinline__ unsigned hash(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

#endif
