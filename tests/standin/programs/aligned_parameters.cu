// SPDX-License-Identifier: Apache-2.0
// Parameters that are aligned to 64 and 128 bytes, as descriptions of tensors are: ptxas counts their alignment from the start of the
// constant bank, PTX from the first parameter. Values and addresses must be right.
#include "check.h"

struct alignas(64) line {
    int word[16];
};
struct alignas(128) lines {
    int word[32];
};

__global__ void by_value(const __grid_constant__ line a, char tag, const __grid_constant__ lines b, int *out)
{
    out[threadIdx.x] = a.word[threadIdx.x % 16] + b.word[threadIdx.x] + tag;
}

__device__ __noinline__ int sum(const int *words, int count)
{
    int all = 0;
    for (int i = 0; i < count; i++)
        all += words[i];
    return all;
}

__global__ void by_address(const __grid_constant__ line a, char tag, const __grid_constant__ lines b, int *out)
{
    out[0] = sum(a.word, 16) + tag;
    out[1] = sum(b.word, 32);
    out[2] = (int)(reinterpret_cast<size_t>(&a) % 64);
    out[3] = (int)(reinterpret_cast<size_t>(&b) % 128);
}

int main()
{
    line a;
    lines b;
    int *out;
    for (int i = 0; i < 16; i++)
        a.word[i] = i;
    for (int i = 0; i < 32; i++)
        b.word[i] = 100 * i;
    CHECK(cudaMallocManaged(&out, 32 * sizeof *out));
    by_value<<<1, 32>>>(a, 7, b, out);
    CHECK(cudaDeviceSynchronize());
    printf("%d %d %d\n", out[0], out[17], out[31]);
    by_address<<<1, 1>>>(a, 7, b, out);
    CHECK(cudaDeviceSynchronize());
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    return 0;
}
