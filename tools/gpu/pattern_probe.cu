/* SPDX-License-Identifier: Apache-2.0
 * What memory-bound kernels are made of, one launch each, for src/time/: reads, writes and copies by one element a thread and by
 * loops over the grid, strides, unaligned rows, gathers and scatters, structures, rows reduced by warps and blocks, transposes,
 * stencils, atomics, few blocks. Run by tools/gpu-patterns; tools/patterns-judge compares.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o pattern_probe pattern_probe.cu; pattern_probe */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

typedef unsigned int word;
struct three { float x, y, z; };
struct eight { float v[8]; };

static __device__ __forceinline__ float first(float v) { return v; }
static __device__ __forceinline__ float first(double v) { return (float)v; }
static __device__ __forceinline__ float first(unsigned char v) { return v; }
static __device__ __forceinline__ float first(unsigned short v) { return v; }
static __device__ __forceinline__ float first(float2 v) { return v.x + v.y; }
static __device__ __forceinline__ float first(float4 v) { return v.x + v.y + v.z + v.w; }

static __device__ __forceinline__ long me() { return blockIdx.x * (long)blockDim.x + threadIdx.x; }
static __device__ __forceinline__ word mixed(word x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* U elements a thread, a grid apart; loops if the grid is smaller than the array. */
template <class T, int U> __global__ void read(const T *a, float *out, long n)
{
    const long step = (long)gridDim.x * blockDim.x;
    float sum = 0;
    for (long i = me(); i + (U - 1) * step < n; i += U * step) {
        T v[U];
#pragma unroll
        for (int u = 0; u < U; u++)
            v[u] = a[i + u * step];
#pragma unroll
        for (int u = 0; u < U; u++)
            sum += first(v[u]);
    }
    if (sum == 12345.678f)
        *out = sum;
}
template <class T, int U> __global__ void copy(const T *a, T *b, long n)
{
    const long step = (long)gridDim.x * blockDim.x;
    for (long i = me(); i + (U - 1) * step < n; i += U * step) {
        T v[U];
#pragma unroll
        for (int u = 0; u < U; u++)
            v[u] = a[i + u * step];
#pragma unroll
        for (int u = 0; u < U; u++)
            b[i + u * step] = v[u];
    }
}
template <class T> __global__ void fill(T *b, T v, long n)
{
    const long step = (long)gridDim.x * blockDim.x;
    for (long i = me(); i < n; i += step)
        b[i] = v;
}
__global__ void add(const float *a, const float *b, float *c, long n)
{
    const long step = (long)gridDim.x * blockDim.x;
    for (long i = me(); i < n; i += step)
        c[i] = a[i] + b[i];
}
__global__ void scale(float *a, float f, long n)
{
    const long step = (long)gridDim.x * blockDim.x;
    for (long i = me(); i < n; i += step)
        a[i] *= f;
}
/* U consecutive elements of each thread, one after the other. */
template <int U> __global__ void own_read(const float *a, float *out, long n)
{
    float sum = 0;
    const long i = me() * U;
    if (i + U > n)
        return;
#pragma unroll
    for (int u = 0; u < U; u++)
        sum += a[i + u];
    if (sum == 12345.678f)
        *out = sum;
}
template <int U> __global__ void own_write(float *a, float v, long n)
{
    const long i = me() * U;
    if (i + U > n)
        return;
#pragma unroll
    for (int u = 0; u < U; u++)
        a[i + u] = v + u;
}
/* one word each S words */
template <int S> __global__ void stride_read(const float *a, float *out, long n)
{
    if (me() * S >= n)
        return;
    const float v = a[me() * S];
    if (v == 12345.678f)
        *out = v;
}
template <int S> __global__ void stride_write(float *a, float v, long n)
{
    if (me() * S < n)
        a[me() * S] = v;
}
template <int S> __global__ void stride_copy(const float *a, float *b, long n)
{
    if (me() * S < n)
        b[me() * S] = a[me() * S];
}
__global__ void offset_copy(const float *a, float *b, long n, int from, int to)
{
    if (me() + 64 < n)
        b[me() + to] = a[me() + from];
}
/* a word at random of a table of 2^bits words, U a thread */
template <int U> __global__ void gather(const float *a, float *b, word mask)
{
    float sum = 0;
#pragma unroll
    for (int u = 0; u < U; u++)
        sum += a[mixed((word)me() * U + u) & mask];
    b[me()] = sum;
}
__global__ void gather_by(const word *index, const float *a, float *b, long n)
{
    if (me() < n)
        b[me()] = a[index[me()]];
}
__global__ void make_indexes(word *index, word mask, long n)
{
    if (me() < n)
        index[me()] = mixed((word)me()) & mask;
}
__global__ void scatter(float *b, float v, word mask)
{
    b[mixed((word)me()) & mask] = v;
}
__global__ void count_at(word *b, word mask)
{
    atomicAdd(&b[mixed((word)me()) & mask], 1u);
}
/* a member of structures, all members, a member changed */
template <class S> __global__ void member_read(const S *a, float *b, long n)
{
    if (me() < n)
        b[me()] = *(const float *)&a[me()];
}
template <class S> __global__ void member_scale(S *a, float f, long n)
{
    if (me() < n)
        *(float *)&a[me()] *= f;
}
template <class S> __global__ void structure_copy(const S *a, S *b, long n)
{
    if (me() < n)
        b[me()] = a[me()];
}
/* rows of `columns` words, one by each warp or block; a thread a row */
__global__ void row_warp(const float *a, float *b, int rows, int columns)
{
    const int row = (int)(me() / 32), lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < columns; i += 32)
        sum += a[(long)row * columns + i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        b[row] = sum;
}
__global__ void row_block(const float *a, float *b, int columns)
{
    __shared__ float part[32];
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += a[(long)blockIdx.x * columns + i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_xor_sync(~0u, sum, d);
        if (threadIdx.x == 0)
            b[blockIdx.x] = sum;
    }
}
__global__ void row_thread(const float *a, float *b, int rows, int columns)
{
    if (me() >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < columns; i++)
        sum += a[me() * columns + i];
    b[me()] = sum;
}
__global__ void column_thread(const float *a, float *b, int rows, int columns)
{
    if (me() >= columns)
        return;
    float sum = 0;
    for (int i = 0; i < rows; i++)
        sum += a[(long)i * columns + me()];
    b[me()] = sum;
}
__global__ void normalise(const float *a, float *b, int columns)
{
    __shared__ float part[32];
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const float v = a[(long)blockIdx.x * columns + i];
        sum += v * v;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0;
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    const float f = rsqrtf(sum / columns + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        b[(long)blockIdx.x * columns + i] = a[(long)blockIdx.x * columns + i] * f;
}
__global__ void transpose_naive(const float *a, float *b, int rows, int columns)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    b[(long)x * rows + y] = a[(long)y * columns + x];
}
__global__ void transpose_tile(const float *a, float *b, int rows, int columns)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = a[(long)(y + j) * columns + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        b[(long)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void stencil_5(const float *a, float *b, int rows, int columns)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= columns - 1 || y >= rows - 1)
        return;
    const long i = (long)y * columns + x;
    b[i] = 0.2f * (a[i] + a[i - 1] + a[i + 1] + a[i - columns] + a[i + columns]);
}
__global__ void stencil_7(const float *a, float *b, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    for (int z = 1; z < nz - 1; z++) {
        const long i = ((long)z * ny + y) * nx + x;
        b[i] = a[i] * 0.4f + 0.1f * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - (long)nx * ny] + a[i + (long)nx * ny]);
    }
}
__global__ void histogram_shared(const unsigned char *a, word *bins, long n)
{
    __shared__ word part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
    const long step = (long)gridDim.x * blockDim.x;
    for (long i = me(); i < n; i += step)
        atomicAdd(&part[a[i]], 1u);
    __syncthreads();
    if (part[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}
__global__ void make_bytes(word *a, long n)
{
    if (me() < n)
        a[me()] = mixed((word)me());
}
__global__ void sum_atomic(const float *a, float *out, long n)
{
    const long step = (long)gridDim.x * blockDim.x;
    float sum = 0;
    for (long i = me(); i < n; i += step)
        sum += a[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}
/* a chain of loads, as lists have them */
__global__ void chase(const word *next, word *out, int steps)
{
    word at = (word)me();
    for (int i = 0; i < steps; i++)
        at = next[at];
    out[me()] = at;
}
/* a matrix times a vector: a warp a row, words of four */
__global__ void product_vector(const float4 *a, const float4 *x, float *y, int rows, int columns4)
{
    const int row = (int)(me() / 32), lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < columns4; i += 32) {
        const float4 v = a[(long)row * columns4 + i], w = x[i];
        sum += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}
/* sparse rows of equal length */
__global__ void sparse(const int *columns, const float *values, const float *x, float *y, int rows, int length)
{
    if (me() >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < length; i++)
        sum += values[me() * length + i] * x[columns[me() * length + i]];
    y[me()] = sum;
}

static const long MIB = 1 << 20;
static char *A, *B, *C;

static void done() { CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize()); }

template <class T, int U> static void streams(long bytes, int threads, int blocks)
{
    const long n = bytes / sizeof(T);
    const int grid = blocks ? blocks : (int)(n / U / threads);
    read<T, U><<<grid, threads>>>((T *)A, (float *)C, n);
    copy<T, U><<<grid, threads>>>((T *)A, (T *)B, n);
    done();
}
template <class T> static void all_streams()
{
    for (int threads : {64, 128, 256, 512, 1024})
        streams<T, 1>(64 * MIB / (sizeof(T) < 4 ? 4 : 1), threads, 0);
    streams<T, 4>(64 * MIB / (sizeof(T) < 4 ? 4 : 1), 256, 0);
    for (int blocks : {132, 264, 528, 1056})
        streams<T, 1>(64 * MIB / (sizeof(T) < 4 ? 4 : 1), 256, blocks);
    streams<T, 4>(64 * MIB / (sizeof(T) < 4 ? 4 : 1), 256, 528);
}
template <int S> static void strides()
{
    const long n = 32 * MIB / 4 * (S < 8 ? S : 8);
    const int grid = (int)(n / S / 256);
    stride_read<S><<<grid, 256>>>((float *)A, (float *)C, n);
    stride_write<S><<<grid, 256>>>((float *)B, 1.5f, n);
    stride_copy<S><<<grid, 256>>>((float *)A, (float *)B, n);
    done();
}
template <class S> static void structures()
{
    const long n = 96 * MIB / sizeof(S);
    const int grid = (int)(n / 256);
    member_read<S><<<grid, 256>>>((S *)A, (float *)C, n);
    member_scale<S><<<grid, 256>>>((S *)A, 1.5f, n);
    structure_copy<S><<<grid, 256>>>((S *)A, (S *)B, n);
    done();
}

int main()
{
    CHECK(cudaMalloc(&A, 256 * MIB));
    CHECK(cudaMalloc(&B, 256 * MIB));
    CHECK(cudaMalloc(&C, 256 * MIB));
    CHECK(cudaMemset(A, 0, 256 * MIB));
    CHECK(cudaMemset(B, 0, 256 * MIB));
    CHECK(cudaMemset(C, 0, 256 * MIB));
    float *a = (float *)A, *b = (float *)B, *c = (float *)C;
    all_streams<float>();
    all_streams<float4>();
    all_streams<double>();
    all_streams<unsigned char>();
    all_streams<unsigned short>();
    for (int blocks : {8, 33, 66, 132, 1056})
        for (int threads : {64, 256, 1024})
            streams<float2, 2>(16 * MIB, threads, blocks);
    for (int grid : {65536, 264, 1056}) {
        fill<float><<<grid, 256>>>(b, 1.f, 16 * MIB);
        fill<float4><<<grid, 256>>>((float4 *)B, float4{1, 2, 3, 4}, 4 * MIB);
        add<<<grid, 256>>>(a, b, c, 16 * MIB);
        scale<<<grid, 256>>>(a, 1.5f, 16 * MIB);
    }
    done();
    own_read<2><<<32768, 256>>>(a, c, 16 * MIB);
    own_read<4><<<16384, 256>>>(a, c, 16 * MIB);
    own_read<8><<<8192, 256>>>(a, c, 16 * MIB);
    own_read<32><<<2048, 256>>>(a, c, 16 * MIB);
    own_write<2><<<32768, 256>>>(b, 1, 16 * MIB);
    own_write<4><<<16384, 256>>>(b, 1, 16 * MIB);
    own_write<8><<<8192, 256>>>(b, 1, 16 * MIB);
    own_write<32><<<2048, 256>>>(b, 1, 16 * MIB);
    done();
    strides<2>();
    strides<4>();
    strides<8>();
    strides<16>();
    strides<32>();
    strides<64>();
    strides<256>();
    for (int from : {0, 1, 8, 16})
        for (int to : {0, 1, 8})
            offset_copy<<<65535, 256>>>(a, b, 16 * MIB, from, to);
    done();
    for (int bits : {18, 20, 22, 23, 24, 26}) {
        gather<1><<<32768, 256>>>(a, b, (1u << bits) - 1);
        gather<4><<<8192, 256>>>(a, b, (1u << bits) - 1);
        scatter<<<32768, 256>>>(b, 1.5f, (1u << bits) - 1);
        count_at<<<32768, 256>>>((word *)B, (1u << bits) - 1);
    }
    done();
    for (int bits : {20, 23, 26}) {
        make_indexes<<<32768, 256>>>((word *)C, (1u << bits) - 1, 8 * MIB);
        gather_by<<<32768, 256>>>((word *)C, a, b, 8 * MIB);
    }
    done();
    structures<three>();
    structures<float4>();
    structures<eight>();
    for (int columns : {32, 100, 256, 1000, 4096, 16384}) {
        const int rows = 16 * MIB / columns;
        row_warp<<<(rows + 7) / 8, 256>>>(a, b, rows, columns);
        row_block<<<rows, columns < 256 ? 64 : 256>>>(a, b, columns);
        row_thread<<<(rows + 255) / 256, 256>>>(a, b, rows, columns > 1000 ? 1000 : columns);
        column_thread<<<(columns + 255) / 256, 256>>>(a, b, rows > 4096 ? 4096 : rows, columns);
        normalise<<<rows, columns < 256 ? 64 : 256>>>(a, b, columns);
    }
    done();
    for (int columns : {2048, 4096}) {
        transpose_naive<<<dim3(columns / 32, 4096 / 8), dim3(32, 8)>>>(a, b, 4096, columns);
        transpose_naive<<<dim3(columns / 16, 4096 / 16), dim3(16, 16)>>>(a, b, 4096, columns);
        transpose_tile<<<dim3(columns / 32, 4096 / 32), dim3(32, 8)>>>(a, b, 4096, columns);
        stencil_5<<<dim3(columns / 32, 4096 / 8), dim3(32, 8)>>>(a, b, 4096, columns);
        stencil_5<<<dim3(columns / 16, 4096 / 16), dim3(16, 16)>>>(a, b, 4096, columns);
        stencil_7<<<dim3(columns / 32 / 4, 512 / 8), dim3(32, 8)>>>(a, b, columns / 4, 512, 64);
    }
    done();
    make_bytes<<<16384, 256>>>((word *)A, 4 * MIB);
    for (int blocks : {132, 528, 2112}) {
        histogram_shared<<<blocks, 256>>>((unsigned char *)A, (word *)C, 16 * MIB);
        sum_atomic<<<blocks, 256>>>(b, c, 16 * MIB);
    }
    done();
    for (int bits : {16, 20, 24}) {
        make_indexes<<<65536, 256>>>((word *)C, (1u << bits) - 1, 16 * MIB);
        for (int blocks : {1, 132, 1056})
            chase<<<blocks, 256>>>((word *)C, (word *)B, 32);
    }
    done();
    for (int columns : {128, 1024, 8192})
        product_vector<<<16 * MIB / columns / 8, 256>>>((float4 *)A, (float4 *)B, c, 16 * MIB / columns, columns / 4);
    for (int length : {4, 16, 64}) {
        const int rows = 4 * MIB / length;
        make_indexes<<<16384, 256>>>((word *)C, (1u << 20) - 1, 4 * MIB);
        sparse<<<rows / 256, 256>>>((int *)C, a, b, (float *)(B + 128 * MIB), rows, length);
    }
    done();
    printf("done\n");
    return 0;
}
