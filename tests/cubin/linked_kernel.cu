// SPDX-License-Identifier: Apache-2.0
// A kernel that calls a function of another file.
extern __device__ int weigh(int v);

extern "C" __global__ void weigh_all(int *x)
{
    __shared__ int kept[32];
    kept[threadIdx.x] = weigh(x[threadIdx.x]);
    __syncthreads();
    x[threadIdx.x] = kept[31 - threadIdx.x];
}
