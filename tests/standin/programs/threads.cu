// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <thread>
#include <vector>

__global__ void fill(int *x, int value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = value + i;
}

static void work(int me, int *bad)
{
    const int n = 3000;
    std::vector<int> got(n);
    cudaStream_t stream;
    int *x;
    CHECK(cudaStreamCreate(&stream));
    for (int round = 0; round < 20; round++) {
        CHECK(cudaMallocAsync(&x, n * sizeof(int), stream));
        fill<<<(n + 255) / 256, 256, 0, stream>>>(x, me * 1000 + round, n);
        CHECK(cudaMemcpyAsync(got.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(x, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; i++)
            *bad += got[i] != me * 1000 + round + i;
    }
    fill<<<0, 1, 0, stream>>>(x, 0, 0); /* errors are each thread's own */
    if (me == 0)
        *bad += cudaGetLastError() == cudaSuccess;
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    const int count = 6;
    int bad[count] = {}, sum = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < count; t++)
        threads.emplace_back(work, t, &bad[t]);
    for (int t = 0; t < count; t++) {
        threads[t].join();
        sum += bad[t];
    }
    printf("wrong: %d, last error here: %s\n", sum, cudaGetErrorName(cudaGetLastError()));
    return sum != 0;
}
