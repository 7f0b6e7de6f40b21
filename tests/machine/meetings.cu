// SPDX-License-Identifier: Apache-2.0
// Lanes that come to one WARPSYNC in several groups: the assertions keep the compiler from meeting at a BSYNC before.
// Below, lanes that leave loops in groups and meet at a BSYNC. What an H200 counted: tests/gpu/h200/meetings.
#include <cassert>

template <int GROUPS> __device__ void meet_in(const int *in, int *out)
{
    int t = threadIdx.x, v = in[t];
    for (int k = 0; k < 3; k++) {
        if (t % GROUPS == 0) { assert(v >= 0); out[t] = v * 3 + k; }
        else if (t % GROUPS == 1) { assert(v >= 0); out[t] = v * 5 + k; }
        else if (t % GROUPS == 2) { assert(v >= 0); out[t + 32] = v * 7 + k; }
        else { assert(v >= 0); out[t + 64] = v * 9 + k; }
        __syncthreads();
        v += out[(t + 1) % 32];
    }
    out[t + 96] = v;
}

extern "C" __global__ void one_group(const int *in, int *out) { meet_in<1>(in, out); }
extern "C" __global__ void two_groups(const int *in, int *out) { meet_in<2>(in, out); }
extern "C" __global__ void three_groups(const int *in, int *out) { meet_in<3>(in, out); }
extern "C" __global__ void four_groups(const int *in, int *out) { meet_in<4>(in, out); }

extern "C" __global__ void first_thread(const int *in, int *out)
{
    int t = threadIdx.x, v = in[t];
    for (int k = 0; k < 3; k++) {
        if (t == 0) { assert(v >= 0); out[k] = v; }
        __syncthreads();
        v += out[k];
    }
    out[t + 96] = v;
}

extern "C" __global__ void some_threads(const int *in, int *out)
{
    int t = threadIdx.x, v = in[t];
    if (t % 32 < v) { assert(v >= 0); out[t] = v; }
    __syncthreads();
    v += out[(t + 1) % 32];
    out[t + 96] = v;
}

extern "C" __global__ void leavers(const int *trips, const float *in, float *out)
{
    int t = blockIdx.x * 32 + threadIdx.x, n = trips[t];
    float s = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) s = s * in[(t + i * 7) & 1023] + 1;
    out[t] = s;
}

// Some lanes go around the loop and stand aside while those in it part.
extern "C" __global__ void entered(const int *trips, const float *in, float *out)
{
    int t = blockIdx.x * 32 + threadIdx.x, n = trips[t];
    float s = 0;
#pragma unroll 1
    while (n > 1) { s = s * in[(t + n * 7) & 1023] + 1; n--; }
    out[t] = s;
}

extern "C" __global__ void nested(const int *trips, const float *in, float *out)
{
    int t = blockIdx.x * 32 + threadIdx.x, n = trips[t];
    float s = 0, r = 1;
#pragma unroll 1
    while (n > 1) {
        if (n & 1) { s = s * in[(t + n * 7) & 1023] + 1; s = s * s + r; n--; __threadfence_block(); out[t + 64] = s; }
        else { r = r * in[(t + n * 5) & 1023] + 2; r = r * r + s; n >>= 1; __threadfence_block(); out[t + 32] = r; }
    }
    out[t] = s + r;
}
