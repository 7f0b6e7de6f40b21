// SPDX-License-Identifier: Apache-2.0
// Calls beside a kernel that waits for the host, in its stream and in another one. cudaFreeAsync waits for nothing, and the
// memory stays until the stream comes to it, though the pool counts it as free; a small copy from the host has read its source then. CUDA Runtime API,
// cudaFreeAsync; CUDA C++ Programming Guide, "Asynchronous Concurrent Execution".
#include "check.h"

__global__ void when_set(volatile int *flag, int *from, int *to)
{
    while (*flag == 0)
        ;
    *to = *from + 1;
}

static unsigned long long used()
{
    cudaMemPool_t pool;
    unsigned long long bytes;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    return bytes >> 20;
}

int main()
{
    enum { MIB = 1 << 20 };
    int *flag, *to, *a, *b, got;
    cudaStream_t s, t;
    CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    CHECK(cudaMalloc(&to, sizeof *to));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CHECK(cudaMallocAsync(&a, MIB, s));
    CHECK(cudaMallocAsync(&b, 2 * MIB, t));
    CHECK(cudaMemsetAsync(a, 0, MIB, s));
    *flag = 1;
    when_set<<<1, 1, 0, s>>>(flag, a, to);
    CHECK(cudaStreamSynchronize(t));
    CHECK(cudaStreamSynchronize(s));
    *flag = 0;
    when_set<<<1, 1, 0, s>>>(flag, a, to);
    int put = 41;
    CHECK(cudaMemcpyAsync(a, &put, sizeof put, cudaMemcpyHostToDevice, s));
    put = 0;
    when_set<<<1, 1, 0, s>>>(flag, a, to);
    CHECK(cudaFreeAsync(a, s));
    CHECK(cudaFreeAsync(b, t));
    CHECK(cudaStreamSynchronize(t));
    printf("%llu MiB, %s\n", used(), cudaGetErrorName(cudaStreamQuery(s)));
    *flag = 1;
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(&got, to, sizeof got, cudaMemcpyDeviceToHost));
    printf("%llu MiB, %d\n", used(), got);
    printf("again: %s\n", cudaGetErrorName(cudaFreeAsync(a, s)));
    return 0;
}
