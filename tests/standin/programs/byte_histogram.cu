// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__global__ void count(const unsigned char *from, unsigned *bins, int n)
{
    __shared__ unsigned mine[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[from[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&bins[b], mine[b]);
}

int main()
{
    const int n = 1 << 17;
    std::vector<unsigned char> from(n);
    unsigned bins[256] = {}, wanted[256] = {};
    for (int i = 0; i < n; i++) {
        from[i] = (unsigned char)((i * 2654435761u) >> 22);
        wanted[from[i]]++;
    }
    unsigned char *F = on_gpu(from.data(), n);
    unsigned *B = on_gpu(bins, 256);
    count<<<16, 192>>>(F, B, n);
    from_gpu(bins, B, 256);
    return compare("bins", bins, wanted, 256);
}
