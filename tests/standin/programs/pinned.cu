// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__global__ void twice(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

int main()
{
    const int n = 3000;
    int *mapped, *seen, bad = 0;
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    std::vector<int> own(n);
    for (int i = 0; i < n; i++)
        mapped[i] = own[i] = i;
    CHECK(cudaHostGetDevicePointer(&seen, mapped, 0));
    twice<<<(n + 127) / 128, 128>>>(seen, n);
    CHECK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&seen, own.data(), 0));
    twice<<<(n + 127) / 128, 128>>>(seen, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        bad += mapped[i] != 2 * i || own[i] != 2 * i;
    cudaPointerAttributes what;
    CHECK(cudaPointerGetAttributes(&what, mapped));
    printf("wrong: %d, host memory: %d\n", bad, what.type == cudaMemoryTypeHost);
    CHECK(cudaHostUnregister(own.data()));
    CHECK(cudaFreeHost(mapped));
    return bad != 0;
}
