// SPDX-License-Identifier: Apache-2.0
// The other translation unit of separate.cu.
__device__ int calls;
__constant__ int factor = 1;

static __device__ int offset(int x)
{
    return x - 7;
}

__device__ int scale(int x)
{
    return factor * (offset(x) + 7);
}

static __device__ int twice(int x)
{
    return 2 * x;
}

static __device__ int negative(int x)
{
    return -x;
}

extern __device__ int (*const operations[2])(int);
__device__ int (*const operations[2])(int) = {twice, negative};
