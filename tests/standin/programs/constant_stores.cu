// SPDX-License-Identifier: Apache-2.0
// A kernel stores to constant variables through the address that the host has of them, as CuPy's
// `module.get_global(name)` is filled; later launches read what was stored. It is what an H200
// printed (driver 580.159.04, CUDA 13.0).
#include <cstdio>
#include <cuda_runtime.h>

__constant__ int table[64];

__global__ void store(int *p, int base) {
    p[threadIdx.x] = base + threadIdx.x;
}

__global__ void add(int *p) {
    atomicAdd(p + threadIdx.x, 1000);
}

__global__ void read(int *out) {
    out[threadIdx.x] = table[threadIdx.x] + table[0] * 100000;
}

static void show(const char *what, int *out) {
    int host[64] = {0};
    cudaError_t launch = cudaGetLastError();
    read<<<1, 64>>>(out);
    cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s: %s, %s: %d %d %d\n", what, cudaGetErrorName(launch), cudaGetErrorName(error), host[0],
           host[1], host[63]);
}

int main() {
    void *p = 0;
    int *out = 0, host[64];
    cudaError_t error = cudaGetSymbolAddress(&p, table);
    printf("address: %s\n", cudaGetErrorName(error));
    cudaMalloc(&out, 256);
    show("before", out);
    store<<<1, 64>>>((int *)p, 7);
    printf("store: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    show("after a store", out);
    add<<<1, 64>>>((int *)p);
    printf("atomic: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    show("after an atomic", out);
    printf("memset: %s\n", cudaGetErrorName(cudaMemset(p, 0, 128)));
    show("after a fill", out);
    error = cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("copy: %s %d\n", cudaGetErrorName(error), host[63]);
    return 0;
}
