// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__global__ void sum(const int *from, long long *to, int n)
{
    __shared__ long long of_warp[32];
    long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += from[i];
    for (int d = 16; d; d /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, d);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    mine = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2)
        mine += __shfl_xor_sync(0xffffffff, mine, d);
    if (threadIdx.x == 0)
        atomicAdd((unsigned long long *)to, (unsigned long long)mine);
}

__global__ void most(const int *from, int *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int mine = __reduce_max_sync(0xffffffff, i < n ? from[i] : INT_MIN);
    if (threadIdx.x % 32 == 0)
        atomicMax(to, mine);
}

int main()
{
    const int n = 77777;
    std::vector<int> from(n);
    long long total = 0, got = 0;
    int largest = INT_MIN, found = INT_MIN;
    for (int i = 0; i < n; i++) {
        from[i] = (int)((i * 2654435761u) >> 8) - (1 << 23);
        total += from[i];
        largest = from[i] > largest ? from[i] : largest;
    }
    int *F = on_gpu(from.data(), n), *M = on_gpu(&found, 1);
    long long *T = on_gpu(&got, 1);
    sum<<<20, 256>>>(F, T, n);
    most<<<(n + 127) / 128, 128>>>(F, M, n);
    from_gpu(&got, T, 1);
    from_gpu(&found, M, 1);
    return compare("sum", &got, &total, 1) | compare("largest", &found, &largest, 1);
}
