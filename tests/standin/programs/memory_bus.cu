// SPDX-License-Identifier: Apache-2.0
// run: --gpu h200
// The width of the memory's bus is what CUDA tells programs on an H200 (driver 580.159.04); with the clock it gives the peak that
// NVIDIA's datasheet has, 4.8 TB/s.
#include "check.h"

int main()
{
    int clock, bits;
    cudaDeviceProp about;
    CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    CHECK(cudaGetDeviceProperties(&about, 0));
    printf("%d bits, %d, %.1f TB/s\n", bits, about.memoryBusWidth, 2e3 * clock * bits / 8 / 1e12);
}
