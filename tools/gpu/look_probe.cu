// SPDX-License-Identifier: Apache-2.0
// Words that threads look at before they change them by an atomic that may leave them as they are: bounds, flags, distances. How many find
// them as they were depends on when the others' atomics are done. Run it under Nsight Compute, which gives the time of each launch and what
// it executed.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o look_probe look_probe.cu; look_probe
// What an H200 does: tests/gpu/h200/looks.txt.
#include <cstdio>

static __device__ unsigned mixed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}
// The least of all threads' values, in one of `words`; each has `rounds` values.
extern "C" __global__ void least(unsigned *p, int words, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        const unsigned thread = (r * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x, v = mixed(thread) / 2;
        unsigned *to = p + (words == 1 ? 0 : mixed(v) % words);
        if (v < *to)
            atomicMin(to, v);
    }
}
// The same of floats, by compare and swap.
extern "C" __global__ void least_float(float *p, int words, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        const unsigned thread = (r * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        const float v = mixed(thread) * 0x1p-32f;
        float *to = p + (words == 1 ? 0 : mixed(thread + 1) % words);
        float old = *to;
        while (v < old) {
            const float found = __int_as_float(atomicCAS((int *)to, __float_as_int(old), __float_as_int(v)));
            if (found == old)
                break;
            old = found;
        }
    }
}
// As a library writes it: it swaps in the lesser of both until nobody has come between, also where that is what was there.
extern "C" __global__ void grow(float *p, int words, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        const unsigned thread = (r * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        for (int w = 0; w < words; w++) {
            const float v = mixed(thread + w * 77777) * 0x1p-32f;
            float assumed = p[w];
            if (assumed <= v)
                continue;
            for (;;) {
                const float found = __int_as_float(atomicCAS((int *)p + w, __float_as_int(assumed), __float_as_int(fminf(assumed, v))));
                if (found == assumed)
                    break;
                assumed = found;
            }
        }
    }
}
// Who comes first sets the flag of the word; the others find it set.
extern "C" __global__ void flag(int *p, int words, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        const unsigned thread = (r * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        int *to = p + mixed(thread) % words;
        if (*to != 0 && atomicExch(to, 0))
            p[words + mixed(thread + 1) % words] = 1;
    }
}

static unsigned *p;
static void fill()
{
    cudaMemset(p, 0x7f, 1 << 24);
}
int main()
{
    cudaMalloc(&p, 1 << 24);
    for (int blocks : {1, 132, 1056, 8448})
        for (int threads : {128, 1024})
            for (int words : {1, 6, 1024, 1 << 20})
                for (int rounds : {1, 4}) {
                    if (blocks * threads * rounds > 1 << 22)
                        continue;
                    fill(), least<<<blocks, threads>>>(p, words, rounds);
                    fill(), least_float<<<blocks, threads>>>((float *)p, words, rounds);
                    if (words <= 6)
                        fill(), grow<<<blocks, threads>>>((float *)p, words, rounds);
                    fill(), flag<<<blocks, threads>>>((int *)p, words, rounds);
                }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
