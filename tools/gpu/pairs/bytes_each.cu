// SPDX-License-Identifier: Apache-2.0
// A byte a thread. After: 16 bytes a thread.
#include "pair.h"
extern "C" __global__ void invert(const unsigned char *in, unsigned char *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 255 - in[i];
}
extern "C" __global__ void invert_16(const uint4 *in, uint4 *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uint4 v = in[i];
    out[i] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
}
int main()
{
    const size_t n = (size_t)1 << 26;
    unsigned char *in = room<unsigned char>(n), *out = room<unsigned char>(n);
    pair(
        "bytes_each", [=] { invert<<<n / 256, 256>>>(in, out, n); },
        [=] { invert_16<<<n / 16 / 256, 256>>>((const uint4 *)in, (uint4 *)out, n / 16); });
}
