// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void read(const int *x, int *to)
{
    *to = *x;
}

static void tell(const char *what, cudaError_t code)
{
    printf("%s: %s\n", what, cudaGetErrorName(code));
    cudaGetLastError();
}

int main()
{
    int *x, *y, host[64];
    cudaEvent_t event;
    CHECK(cudaMalloc(&x, 256));
    CHECK(cudaMalloc(&y, 256));
    tell("free of the middle", cudaFree(x + 1));
    tell("unknown direction", cudaMemcpy(x, host, 4, (cudaMemcpyKind)9));
    tell("nothing to copy", cudaMemcpy(x, host, 0, cudaMemcpyHostToDevice));
    tell("free", cudaFree(x));
    tell("free of nothing", cudaFree(nullptr));
    CHECK(cudaEventCreate(&event));
    float ms;
    tell("event that was not recorded", cudaEventElapsedTime(&ms, event, event));
    tell("device 9", cudaSetDevice(9));
    return 0;
}
