// SPDX-License-Identifier: Apache-2.0
// A local array with computed indexes: a histogram of 16 bins a thread. After: the bins in shared memory.
#include "pair.h"
extern "C" __global__ void bins_local(const unsigned char *in, unsigned *out, int each)
{
    unsigned bins[16] = {0};
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int k = 0; k < each; k++)
        bins[in[(size_t)k * all + i] & 15]++;
    for (int b = 0; b < 16; b++)
        out[(size_t)b * all + i] = bins[b];
}
extern "C" __global__ void bins_shared(const unsigned char *in, unsigned *out, int each)
{
    __shared__ unsigned bins[16][128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int b = 0; b < 16; b++)
        bins[b][threadIdx.x] = 0;
    for (int k = 0; k < each; k++)
        bins[in[(size_t)k * all + i] & 15][threadIdx.x]++;
    for (int b = 0; b < 16; b++)
        out[(size_t)b * all + i] = bins[b][threadIdx.x];
}
__global__ void fill(unsigned char *in, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned mixed = (unsigned)i * 2654435761u;
        mixed = (mixed ^ mixed >> 15) * 2246822519u;
        in[i] = mixed >> 13;
    }
}
int main()
{
    const int threads = 1 << 18, each = 256;
    unsigned char *in = room<unsigned char>((size_t)threads * each);
    unsigned *out = room<unsigned>((size_t)16 * threads);
    fill<<<1024, 256>>>(in, (size_t)threads * each);
    pair(
        "lookup_local", [=] { bins_local<<<threads / 128, 128>>>(in, out, each); },
        [=] { bins_shared<<<threads / 128, 128>>>(in, out, each); });
}
