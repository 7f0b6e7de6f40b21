// SPDX-License-Identifier: Apache-2.0
// Ordinary kernels as people write them first, each before the version in which a remedy was applied. cases.txt says what
// advice each must get and must not get.
#include <cuda_fp16.h>

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STRIDE (gridDim.x * blockDim.x)

// A sum, a tree in shared memory: one element a thread, then four.
static __device__ void tree(float *s, float value, float *out)
{
    s[threadIdx.x] = value;
    __syncthreads();
    for (int d = blockDim.x / 2; d; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

extern "C" __global__ void tree_one(const float *in, float *out)
{
    __shared__ float s[256];
    tree(s, in[INDEX], out);
}

extern "C" __global__ void tree_four(const float *in, float *out)
{
    __shared__ float s[256];
    const unsigned i = blockIdx.x * 4 * blockDim.x + threadIdx.x;
    tree(s, in[i] + in[i + 256] + in[i + 512] + in[i + 768], out);
}

// A sum that walks the grid: words, then float4, and words with four loads before the first use.
static __device__ void finish(float v, float *out)
{
    for (int o = 16; o; o /= 2)
        v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0)
        out[INDEX / 32] = v;
}

extern "C" __global__ void sum_words(const float *in, float *out, unsigned n)
{
    float v = 0;
#pragma unroll 1
    for (unsigned i = INDEX; i < n; i += STRIDE)
        v += in[i];
    finish(v, out);
}

extern "C" __global__ void sum_float4(const float4 *in, float *out, unsigned n)
{
    float v = 0;
#pragma unroll 1
    for (unsigned i = INDEX; i < n; i += STRIDE) {
        const float4 a = in[i];
        v += a.x + a.y + a.z + a.w;
    }
    finish(v, out);
}

extern "C" __global__ void sum_unrolled(const float *in, float *out, unsigned n)
{
    float v = 0;
#pragma unroll 1
    for (unsigned i = INDEX; i + 3 * STRIDE < n; i += 4 * STRIDE) {
        const float a = in[i], b = in[i + STRIDE], c = in[i + 2 * STRIDE], d = in[i + 3 * STRIDE];
        v += a + b + c + d;
    }
    finish(v, out);
}

// Rows of softmax: a thread a row, then a warp a row.
extern "C" __global__ void softmax_thread(const float *in, float *out, int columns)
{
    const float *x = in + (size_t)INDEX * columns;
    float *y = out + (size_t)INDEX * columns;
    float most = x[0], sum = 0;
    for (int i = 1; i < columns; i++)
        most = fmaxf(most, x[i]);
    for (int i = 0; i < columns; i++)
        sum += __expf(x[i] - most);
    for (int i = 0; i < columns; i++)
        y[i] = __expf(x[i] - most) / sum;
}

extern "C" __global__ void softmax_warp(const float *in, float *out, int columns)
{
    const int lane = threadIdx.x % 32;
    const float *x = in + (size_t)(INDEX / 32) * columns;
    float *y = out + (size_t)(INDEX / 32) * columns;
    float most = x[0], sum = 0;
    for (int i = lane; i < columns; i += 32)
        most = fmaxf(most, x[i]);
    for (int o = 16; o; o /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
    for (int i = lane; i < columns; i += 32)
        sum += __expf(x[i] - most);
    for (int o = 16; o; o /= 2)
        sum += __shfl_xor_sync(~0u, sum, o);
    for (int i = lane; i < columns; i += 32)
        y[i] = __expf(x[i] - most) / sum;
}

// A product of matrices: from global memory, from tiles in shared memory, four results a thread.
extern "C" __global__ void multiply_global(const float *a, const float *b, float *c, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

extern "C" __global__ void multiply_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[32][32], tb[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    float sum = 0;
    for (int k = 0; k < n; k += 32) {
        ta[ty][tx] = a[y * n + k + tx];
        tb[ty][tx] = b[(k + ty) * n + x];
        __syncthreads();
        for (int i = 0; i < 32; i++)
            sum += ta[ty][i] * tb[i][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

extern "C" __global__ void multiply_results(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[32][32], tb[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    float sum[4] = {0};
    for (int k = 0; k < n; k += 32) {
        for (int j = 0; j < 4; j++) {
            ta[ty + 8 * j][tx] = a[(y + 8 * j) * n + k + tx];
            tb[ty + 8 * j][tx] = b[(k + ty + 8 * j) * n + x];
        }
        __syncthreads();
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 4; j++)
                sum[j] += ta[ty + 8 * j][i] * tb[i][tx];
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        c[(y + 8 * j) * n + x] = sum[j];
}

// A histogram: in global memory, in shared memory first, the same with 16 bytes a load.
extern "C" __global__ void histogram_global(const unsigned char *in, unsigned *bins)
{
    atomicAdd(&bins[in[INDEX]], 1);
}

extern "C" __global__ void histogram_shared(const unsigned char *in, unsigned *bins, unsigned n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned i = INDEX; i < n; i += STRIDE)
        atomicAdd(&own[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

extern "C" __global__ void histogram_wide(const uint4 *in, unsigned *bins, unsigned n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned i = INDEX; i < n; i += STRIDE) {
        const uint4 v = in[i];
        const unsigned words[4] = {v.x, v.y, v.z, v.w};
        for (int w = 0; w < 4; w++)
            for (int b = 0; b < 32; b += 8)
                atomicAdd(&own[words[w] >> b & 255], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// A stencil of five points: one, then four points a thread.
extern "C" __global__ void stencil_one(const float *in, float *out, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    const int i = y * nx + x;
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
}

extern "C" __global__ void stencil_four(const float *in, float *out, int nx, int ny)
{
    const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 4 || y < 1 || x >= nx - 4 || y >= ny - 1)
        return;
    const int i = y * nx + x;
    const float4 m = *(const float4 *)&in[i], u = *(const float4 *)&in[i - nx], d = *(const float4 *)&in[i + nx];
    const float l = in[i - 1], r = in[i + 4];
    *(float4 *)&out[i] = make_float4(0.2f * (m.x + l + m.y + u.x + d.x), 0.2f * (m.y + m.x + m.z + u.y + d.y),
                                     0.2f * (m.z + m.y + m.w + u.z + d.z), 0.2f * (m.w + m.z + r + u.w + d.w));
}

// Particles: an array of structures, then arrays.
struct particle {
    float x, y, z, vx, vy, vz, mass, spare;
};

extern "C" __global__ void particles_structures(struct particle *p, float dt)
{
    p[INDEX].x += p[INDEX].vx * dt;
    p[INDEX].y += p[INDEX].vy * dt;
    p[INDEX].z += p[INDEX].vz * dt;
}

extern "C" __global__ void particles_arrays(float *p, unsigned n, float dt)
{
    for (int k = 0; k < 3; k++)
        p[k * n + INDEX] += p[(k + 3) * n + INDEX] * dt;
}

// y = a x + y of halves: one, then eight a thread.
extern "C" __global__ void halves_one(const __half *x, __half *y, float a)
{
    y[INDEX] = __float2half(a * __half2float(x[INDEX]) + __half2float(y[INDEX]));
}

extern "C" __global__ void halves_eight(const uint4 *x, uint4 *y, float a)
{
    const uint4 vx = x[INDEX];
    uint4 vy = y[INDEX];
    const __half *hx = (const __half *)&vx;
    __half *hy = (__half *)&vy;
    for (int i = 0; i < 8; i++)
        hy[i] = __float2half(a * __half2float(hx[i]) + __half2float(hy[i]));
    y[INDEX] = vy;
}

// A small table: an array of a thread's own, then in shared memory.
extern "C" __global__ void table_own(const unsigned *in, unsigned *out, unsigned m)
{
    unsigned table[32];
    for (unsigned k = 0; k < 32; k++)
        table[k] = k * m + INDEX;
    out[INDEX] = table[in[INDEX] % 32];
}

extern "C" __global__ void table_shared(const unsigned *in, unsigned *out, unsigned m)
{
    __shared__ unsigned table[32];
    if (threadIdx.x < 32)
        table[threadIdx.x] = threadIdx.x * m;
    __syncthreads();
    out[INDEX] = table[in[INDEX] % 32] + INDEX;
}

// Nothing is wrong with these, or nothing that a rule knows of.
extern "C" __global__ void mandelbrot(unsigned *out, int w, int h, int most)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float cr = x * 3.0f / w - 2, ci = y * 2.0f / h - 1;
    float a = 0, b = 0;
    int k = 0;
    for (; k < most && a * a + b * b < 4; k++) {
        const float t = a * a - b * b + cr;
        b = 2 * a * b + ci;
        a = t;
    }
    out[y * w + x] = k;
}

extern "C" __global__ void gather(const unsigned *index, const float *in, float *out)
{
    out[INDEX] = in[index[INDEX]];
}

extern "C" __global__ void chase(const unsigned *next, unsigned *out, int steps)
{
    unsigned p = INDEX;
#pragma unroll 1
    for (int k = 0; k < steps; k++)
        p = next[p];
    out[INDEX] = p;
}

extern "C" __global__ void copy_wide(const uint4 *in, uint4 *out)
{
    out[INDEX] = in[INDEX];
}

// Atomics that meet nowhere, and all in one place.
extern "C" __global__ void scatter_add(const unsigned *index, float *out)
{
    atomicAdd(&out[index[INDEX]], 1.0f);
}

extern "C" __global__ void add_to_one(const float *in, float *out)
{
    atomicAdd(out, in[INDEX]);
}
