// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

const int BLOCK = 256;

__global__ void scan_blocks(const unsigned *from, unsigned *to, unsigned *sums, int n)
{
    __shared__ unsigned s[2][BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x, t = threadIdx.x;
    int now = 0;
    s[0][t] = i < n ? from[i] : 0;
    for (int d = 1; d < BLOCK; d *= 2) {
        __syncthreads();
        s[!now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        now = !now;
    }
    if (i < n)
        to[i] = s[now][t];
    if (sums && t == BLOCK - 1)
        sums[blockIdx.x] = s[now][t];
}

__global__ void add_sums(unsigned *to, const unsigned *sums, int n)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n && blockIdx.x)
        to[i] += sums[blockIdx.x - 1];
}

int main()
{
    const int n = 60000, blocks = (n + BLOCK - 1) / BLOCK;
    std::vector<unsigned> from(n), to(n), wanted(n);
    unsigned total = 0;
    for (int i = 0; i < n; i++) {
        from[i] = i % 13;
        wanted[i] = total += from[i];
    }
    unsigned *F = on_gpu(from.data(), n), *T = on_gpu(to.data(), n), *S;
    CHECK(cudaMalloc(&S, blocks * sizeof *S));
    scan_blocks<<<blocks, BLOCK>>>(F, T, S, n);
    scan_blocks<<<1, BLOCK>>>(S, S, nullptr, blocks);
    add_sums<<<blocks, BLOCK>>>(T, S, n);
    from_gpu(to.data(), T, n);
    return compare("prefix sums", to.data(), wanted.data(), n);
}
