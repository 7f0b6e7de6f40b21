// SPDX-License-Identifier: Apache-2.0
// The barrier of the whole grid by the device runtime library's functions, as Numba's grid.sync() calls them. Each row is made of
// the row before it, by threads of other blocks; threads that end are not waited for.
// nvcc: -rdc=true -lcudadevrt
#include "check.h"

enum { ROWS = 20, BLOCKS = 24, THREADS = 48, COLUMNS = BLOCKS * THREADS };

__global__ void rows(int *a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    for (int row = 1; row < ROWS; row++) {
        a[row * COLUMNS + i] = a[(row - 1) * COLUMNS + COLUMNS - 1 - i] + 1;
        cudaCGSynchronize(grid, 0);
    }
}

// Odd lanes reach the barrier at another place than even ones.
__global__ void two_places(int *sum, int *seen)
{
    const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    atomicAdd(sum, 1);
    if (threadIdx.x % 2) {
        cudaCGSynchronize(grid, 0);
        seen[blockIdx.x * 2] = *(volatile int *)sum;
    } else {
        cudaCGSynchronize(grid, 0);
        seen[blockIdx.x * 2 + 1] = *(volatile int *)sum;
    }
}

int main()
{
    static int host[ROWS * COLUMNS];
    int *memory, wrong = 0;
    CHECK(cudaMalloc(&memory, sizeof host));
    CHECK(cudaMemset(memory, 0, sizeof host));
    void *arguments[] = {&memory};
    CHECK(cudaLaunchCooperativeKernel((void *)rows, BLOCKS, THREADS, arguments));
    from_gpu(host, memory, ROWS * COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        wrong += host[i] != i / COLUMNS;
    printf("%d wrong\n", wrong);
    int *sum = memory, *seen = memory + 64;
    CHECK(cudaMemset(memory, 0, sizeof host));
    void *two[] = {&sum, &seen};
    CHECK(cudaLaunchCooperativeKernel((void *)two_places, 8, 64, two));
    from_gpu(host, seen, 16);
    wrong = 0;
    for (int i = 0; i < 16; i++)
        wrong += host[i] != 8 * 64;
    printf("%d wrong\n", wrong);
}
