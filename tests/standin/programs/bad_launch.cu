// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void nothing()
{
}
__global__ void __launch_bounds__(128) bounded()
{
}

static void tell(const char *what)
{
    printf("%s: %s", what, cudaGetErrorName(cudaPeekAtLastError()));
    cudaGetLastError();
    printf(", then %s\n", cudaGetErrorName(cudaGetLastError()));
}

int main()
{
    nothing<<<1, 1024>>>();
    tell("1024 threads");
    nothing<<<1, 1025>>>();
    tell("1025 threads");
    nothing<<<0, 32>>>();
    tell("no blocks");
    nothing<<<1, dim3(1, 1, 65)>>>();
    tell("65 deep");
    nothing<<<dim3(1, 65536), 32>>>();
    tell("65536 rows of blocks");
    bounded<<<1, 256>>>();
    tell("more than launch bounds");
    nothing<<<1, 32, 1 << 18>>>();
    tell("256 KiB of shared memory");
    nothing<<<1, 32>>>();
    tell("after all");
    return cudaDeviceSynchronize() != cudaSuccess;
}
