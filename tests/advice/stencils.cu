// SPDX-License-Identifier: Apache-2.0
// Stencils, compiled without line information: nvcc -arch=sm_90 -cubin -o stencils.sm_90.cubin stencils.cu
// No start of the data aligns the loads of all neighbours.
extern "C" __global__ void stencil1(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}
extern "C" __global__ void stencil2(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < w - 1 && y < h - 1)
        out[y * w + x] = 0.2f * (in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}
// One load, of rows that begin beside a sector: moving the start of the data aligns it.
extern "C" __global__ void beside(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1)
        out[i] = 0.5f * in[i + 1];
}
