// SPDX-License-Identifier: Apache-2.0
// How lanes that leave loops, sides of a branch and the entry of a loop in groups come together at their BSYNC: one warp a launch.
// Each line of standard input is one: KERNEL THREADS and 32 numbers, a lane's trips (exits, twice: 256 times another number more; chain: its way).
//   nvcc -arch=sm_90 -o parting_probe parting_probe.cu
//   ncu --csv --page raw --print-units base --clock-control none --metrics smsp__inst_executed.sum,smsp__thread_inst_executed.sum,\
//     smsp__thread_inst_executed_pred_on.sum,smsp__sass_branch_targets_threads_divergent.sum ./parting_probe <cases
// What an H200 counted: tests/gpu/h200/partings.txt, with the lines of standard input.
#include <cstdio>
#include <cstring>

#define KERNEL(name) extern "C" __global__ void name(const int *trips, const float *in, float *out)

KERNEL(leave)
{
    int t = threadIdx.x, n = trips[t];
    float s = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        s = s * in[(t + i * 7) & 1023] + 1;
    out[t] = s;
}

KERNEL(spin)
{
    int t = threadIdx.x, n = trips[t];
    float s = n;
#pragma unroll 1
    do {
        s = s * 1.5f + 1;
        n--;
    } while (n > 0);
    out[t] = s;
}

KERNEL(enter)
{
    int t = threadIdx.x, n = trips[t];
    float s = 0;
#pragma unroll 1
    while (n > 1) {
        s = s * in[(t + n * 7) & 1023] + 1;
        n--;
    }
    out[t] = s;
}

KERNEL(exits)
{
    int t = threadIdx.x, n = trips[t];
    float s = 0;
    int k = n >> 8;
    n &= 255;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        s = s * in[(t + i * 7) & 1023] + 1;
        if (i == k)
            break;
        s = s * s + 2;
    }
    out[t] = s;
}

KERNEL(twice)
{
    int t = threadIdx.x, n = trips[t], m = n >> 8;
    n &= 255;
    float s = 0;
#pragma unroll 1
    for (int j = 0; j < 2 + (m & 1); j++) {
#pragma unroll 1
        for (int i = 0; i < n; i++)
            s = s * in[(t + i * 7) & 1023] + 1;
        s = s * s;
        n ^= m >> 1;
    }
    out[t] = s;
}

KERNEL(sides)
{
    int t = threadIdx.x, n = trips[t];
    float s = 0;
    if (n & 1) {
        s = in[t] * 3;
#pragma unroll 1
        for (int i = 0; i < n >> 1; i++)
            s = s * in[(t + i * 7) & 1023] + 1;
        out[t + 64] = s;
    } else {
        s = in[t + 32] + 7;
#pragma unroll 1
        for (int i = 0; i < n >> 1; i++)
            s = s * in[(t + i * 5) & 1023] + 2;
        out[t + 96] = s;
    }
    out[t] = s;
}

KERNEL(chain)
{
    const int t = threadIdx.x;
    const float p = in[t], q = in[t + 32], u = in[t + 64], v = in[t + 96];
    float x = u, y = u, z = u;
    switch (static_cast<unsigned char>(trips[t])) {
    case 0: x = p, y = v, z = q; break;
    case 1: x = u, y = p, z = q; break;
    case 2: x = q, y = p, z = v; break;
    case 3: x = q, y = u, z = p; break;
    case 4: x = v, y = q, z = p; break;
    case 5: x = p, y = q, z = u; break;
    }
    out[t] = x, out[t + 32] = y, out[t + 64] = z;
}

struct kernel {
    const char *name;
    void (*run)(const int *, const float *, float *);
};

static const kernel *find(const char *name)
{
    static const kernel kernels[] = {{"leave", leave}, {"spin", spin}, {"enter", enter}, {"exits", exits}, {"twice", twice},
                                     {"sides", sides}, {"chain", chain}};
    for (const kernel &k : kernels)
        if (!strcmp(k.name, name))
            return &k;
    return nullptr;
}

int main()
{
    enum { LANES = 32, BYTES = 4096 };
    int *trips;
    float *in, *out;
    char name[8];
    int threads, of_lane[LANES];
    cudaMalloc(&trips, sizeof of_lane);
    cudaMalloc(&in, BYTES);
    cudaMalloc(&out, BYTES);
    cudaMemset(in, 0, BYTES);
    while (scanf("%7s %d", name, &threads) == 2) {
        const kernel *k = find(name);
        for (int &trip : of_lane)
            if (scanf("%d", &trip) != 1)
                return 2;
        if (!k)
            return 2;
        cudaMemcpy(trips, of_lane, sizeof of_lane, cudaMemcpyHostToDevice);
        k->run<<<1, threads>>>(trips, in, out);
    }
    return cudaDeviceSynchronize();
}
