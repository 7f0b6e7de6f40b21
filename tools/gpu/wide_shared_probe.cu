// SPDX-License-Identifier: Apache-2.0
// Loads of 4, 8 and 16 bytes from shared memory and the arithmetic that uses them: how long until a warp goes on, and how many an SM takes, by
// which lanes read the same. Run it under Nsight Compute, which gives the time of each launch.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o wide_shared_probe wide_shared_probe.cu; wide_shared_probe
// What an H200 takes: tests/gpu/h200/wide_shared.txt. The kernels of tests/model/wide_shared.sm_90.cubin alone: -DTESTED -cubin.
#include <cstdio>

enum { SMS = 132, ROUNDS = 256, WORDS = 8192 };
enum lanes { UNIFORM, KNOWN_UNIFORM, HALVES, SIXTEEN, OWN };

template <class T> struct parts;
template <> struct parts<float> { static __device__ void add(float *s, float v) { s[0] += v; } };
template <> struct parts<float2> { static __device__ void add(float *s, float2 v) { s[0] += v.x, s[1] += v.y; } };
template <> struct parts<float4> { static __device__ void add(float *s, float4 v) { s[0] += v.x, s[1] += v.y, s[2] += v.z, s[3] += v.w; } };

template <class T, int LANES, int LOADS, int SUMS> __global__ void __launch_bounds__(1024) wide(float *out, int step)
{
    __shared__ __align__(16) float words[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        words[i] = i;
    __syncthreads();
    const int lane = threadIdx.x % 32;
    const int own = LANES == KNOWN_UNIFORM ? 0 : LANES == UNIFORM ? lane * step : LANES == HALVES ? lane / 16 : LANES == SIXTEEN ? lane % 16 : lane;
    const T *at = (const T *)words + own;
    float s[4] = {}, more[8] = {};
    int from = 0;
    for (int r = 0; r < ROUNDS; r++) {
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            parts<T>::add(s, at[from + 32 * i]);
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            more[i % 8] = more[i % 8] * s[0] + s[i % 4 < sizeof(T) / 4 ? i % 4 : 0];
        from = (from + 1) & 15;
    }
    for (int i = 0; i < 8; i++)
        s[0] += more[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[0] + s[1] + s[2] + s[3];
}

static float *out;
template <class T, int LANES, int LOADS, int SUMS> static void widths()
{
    for (int warps : {1, 4, 8, 16, 32})
        wide<T, LANES, LOADS, SUMS><<<SMS, warps * 32>>>(out, 0);
}
template <class T, int LANES> static void lanes()
{
    widths<T, LANES, 1, 0>();
    widths<T, LANES, 4, 0>();
    widths<T, LANES, 1, 16>();
    widths<T, LANES, 4, 16>();
}
template <class T> static void type()
{
    lanes<T, UNIFORM>();
    lanes<T, KNOWN_UNIFORM>();
    lanes<T, HALVES>();
    lanes<T, SIXTEEN>();
    lanes<T, OWN>();
}

int main()
{
    cudaMalloc(&out, 1 << 20);
#ifdef TESTED
    widths<float4, HALVES, 4, 0>();
    widths<float4, HALVES, 4, 16>();
    widths<float4, OWN, 4, 0>();
#else
    type<float>();
    type<float2>();
    type<float4>();
#endif
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
