/* SPDX-License-Identifier: Apache-2.0
 * Kernels as people write them first, and as they would after what the advice says (cases.txt). Made by
 *     nvcc -O3 -arch=sm_90 -cubin classics.cu -o classics.sm_90.cubin */

#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)

/* threadIdx.x counts rows, as i does in C's a[i][j] */
extern "C" __global__ void scale_across(float *to, const float *from, int n)
{
    to[X * n + Y] = 2 * from[X * n + Y];
}

extern "C" __global__ void scale_along(float *to, const float *from, int n)
{
    to[Y * n + X] = 2 * from[Y * n + X];
}

extern "C" __global__ void multiply_across(const float *a, const float *b, float *c, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[X * n + k] * b[k * n + Y];
    c[X * n + Y] = sum;
}

/* one side of a transposition is in order */
extern "C" __global__ void transpose(float *to, const float *from, int n)
{
    to[Y * n + X] = from[X * n + Y];
}

/* the first thread adds up what its block has loaded */
extern "C" __global__ void sum_by_one(const float *from, float *to)
{
    __shared__ float s[256];
    s[threadIdx.x] = from[X];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < blockDim.x; i++)
            sum += s[i];
        to[blockIdx.x] = sum;
    }
}

extern "C" __global__ void sum_by_all(const float *from, float *to)
{
    __shared__ float s[8];
    float sum = from[X];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < 8 ? s[threadIdx.x] : 0;
        for (int step = 4; step; step /= 2)
            sum += __shfl_down_sync(~0u, sum, step);
        if (threadIdx.x == 0)
            to[blockIdx.x] = sum;
    }
}

/* a thread of each block searches, the others have nothing to do */
extern "C" __global__ void largest_by_one(const float *from, int *to, int n)
{
    if (threadIdx.x == 0) {
        int best = 0;
        for (int i = 1; i < n; i++)
            best = from[blockIdx.x * n + i] > from[blockIdx.x * n + best] ? i : best;
        to[blockIdx.x] = best;
    }
}

/* a sum whose stride doubles */
extern "C" __global__ void sum_doubling(const float *from, float *to)
{
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = from[blockIdx.x * 1024 + i];
    __syncthreads();
    for (int k = 1; k < 1024; k *= 2) {
        for (int i = 2 * k * threadIdx.x; i < 1024; i += 2 * k * blockDim.x)
            s[i] += s[i + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        to[blockIdx.x] = s[0];
}

/* all threads of a block add to one word: floats by compare-and-swap */
extern "C" __global__ void sum_in_one_word(const float *from, float *to)
{
    __shared__ float sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, from[X]);
    __syncthreads();
    if (threadIdx.x == 0)
        to[blockIdx.x] = sum;
}

extern "C" __global__ void sum_of_warps(const float *from, float *to)
{
    __shared__ float sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    float own = from[X];
    for (int step = 16; step; step /= 2)
        own += __shfl_down_sync(~0u, own, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0)
        to[blockIdx.x] = sum;
}

/* all lanes of a warp in one bank, at places that wrap */
extern "C" __global__ void table_wrapping(float *to, int times, int stride)
{
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = i;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < times; i++)
        sum += s[(threadIdx.x * stride + i) & 1023];
    to[X] = sum;
}

/* at places that data decide */
extern "C" __global__ void table_random(const unsigned *from, float *to, int times)
{
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = i;
    __syncthreads();
    unsigned at = from[X];
    float sum = 0;
    for (int i = 0; i < times; i++) {
        sum += s[at >> 22];
        at = at * 1664525 + 1013904223;
    }
    to[X] = sum;
}

/* a tile and its border, in blocks of 16 by 16 */
template <int ROW> static __device__ void smooth(const float *from, float *to, int n, int times)
{
    __shared__ float t[18][ROW];
    t[threadIdx.y][threadIdx.x] = from[Y * n + X];
    if (threadIdx.x < 2)
        t[threadIdx.y][16 + threadIdx.x] = from[Y * n + X + 16];
    if (threadIdx.y < 2)
        t[16 + threadIdx.y][threadIdx.x] = from[(Y + 16) * n + X];
    if (threadIdx.x < 2 && threadIdx.y < 2)
        t[16 + threadIdx.y][16 + threadIdx.x] = from[(Y + 16) * n + X + 16];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < times; r++)
        for (int i = 0; i < 9; i++)
            sum = sum * 0.5f + ((volatile float *)t[threadIdx.y + i / 3])[threadIdx.x + i % 3];
    to[Y * n + X] = sum;
}

extern "C" __global__ void smooth_18(const float *from, float *to, int n, int times)
{
    smooth<18>(from, to, n, times);
}

extern "C" __global__ void smooth_48(const float *from, float *to, int n, int times)
{
    smooth<48>(from, to, n, times);
}

/* a tile as large as the launch asks for */
extern "C" __global__ void reverse(const float *from, float *to)
{
    extern __shared__ float s[];
    s[threadIdx.x] = from[X];
    __syncthreads();
    to[X] = s[blockDim.x - 1 - threadIdx.x];
}

/* 64 values live at once, of which the bound leaves room for a few */
template <int> static __device__ void mix(const float *from, float *to, int n)
{
    float v[64], sum = 0;
    const int i = X;
#pragma unroll
    for (int k = 0; k < 64; k++)
        v[k] = from[i + k * n];
    for (int r = 0; r < 4; r++) {
#pragma unroll
        for (int k = 0; k < 64; k++)
            v[k] = v[k] * v[(k + 17) % 64] + v[(k + 31) % 64];
    }
#pragma unroll
    for (int k = 0; k < 64; k++)
        sum += v[k];
    to[i] = sum;
}

extern "C" __global__ void __launch_bounds__(256, 8) mix_bound(const float *from, float *to, int n)
{
    mix<0>(from, to, n);
}

extern "C" __global__ void __launch_bounds__(256) mix_free(const float *from, float *to, int n)
{
    mix<1>(from, to, n);
}

/* the element before the first */
extern "C" __global__ void reads_before(const float *from, float *to)
{
    __shared__ float s[256];
    s[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = s[(int)threadIdx.x - 1];
}

extern "C" __global__ void writes_before(const float *from, float *to)
{
    __shared__ float s[256];
    s[(int)threadIdx.x - 1] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void adds_before(const int *from, int *to)
{
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[from[threadIdx.x] - 1], 1);
    __syncthreads();
    to[threadIdx.x] = s[threadIdx.x];
}
