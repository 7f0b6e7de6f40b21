// SPDX-License-Identifier: Apache-2.0
// Memory, events and pools that two processes share: the child, forked before the first call, changes what the parent has.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

struct passed {
    cudaIpcMemHandle_t whole, inner;
    cudaIpcEventHandle_t event;
    cudaMemPoolPtrExportData of_pool;
};

enum { N = 1 << 20 };

__global__ void add(int *x, int n, int what)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += what;
}

static void child(int from)
{
    passed p;
    int *whole, *again, *inner, *pooled;
    cudaEvent_t event;
    cudaMemPool_t pool;
    if (read(from, &p, sizeof p) != sizeof p)
        exit(1);
    CHECK(cudaIpcOpenMemHandle((void **)&whole, p.whole, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&again, p.whole, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&inner, p.inner, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenEventHandle(&event, p.event));
    CHECK(cudaStreamWaitEvent(0, event, 0));
    cudaPointerAttributes about;
    CHECK(cudaPointerGetAttributes(&about, whole));
    if (about.type != cudaMemoryTypeDevice || again != whole || inner != whole + 16)
        exit(2);
    add<<<N / 256, 256>>>(whole, N, 5);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaIpcCloseMemHandle(again));
    add<<<1, 16>>>(inner, 16, 100);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaIpcCloseMemHandle(whole));
    CHECK(cudaIpcCloseMemHandle(inner));
    if (cudaIpcCloseMemHandle(whole) != cudaErrorInvalidValue)
        exit(3);
    cudaMemPoolProps props = {};
    props.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &props));
    CHECK(cudaMemPoolImportPointer((void **)&pooled, pool, &p.of_pool));
    add<<<1, 32>>>(pooled, 32, 7);
    CHECK(cudaFreeAsync(pooled, 0));
    CHECK(cudaDeviceSynchronize());
    exit(0);
}

int main()
{
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return 1;
    const pid_t other = fork();
    if (other == 0)
        child(ends[0]);
    passed p;
    int *memory, *pooled, host[32];
    void *own;
    cudaEvent_t event, plain;
    CHECK(cudaMalloc(&memory, N * sizeof *memory));
    CHECK(cudaMemset(memory, 0, N * sizeof *memory));
    CHECK(cudaIpcGetMemHandle(&p.whole, memory));
    CHECK(cudaIpcGetMemHandle(&p.inner, memory + 16));
    printf("%s\n", cudaGetErrorName(cudaIpcOpenMemHandle(&own, p.whole, cudaIpcMemLazyEnablePeerAccess)));
    printf("%s\n", cudaGetErrorName(cudaIpcGetMemHandle(&p.whole, host)));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaEventCreate(&plain));
    printf("%s\n", cudaGetErrorName(cudaIpcGetEventHandle(&p.event, plain)));
    CHECK(cudaIpcGetEventHandle(&p.event, event));
    CHECK(cudaMallocAsync(&pooled, 32 * sizeof *pooled, 0));
    CHECK(cudaMemsetAsync(pooled, 0, 32 * sizeof *pooled, 0));
    CHECK(cudaMemPoolExportPointer(&p.of_pool, pooled));
    CHECK(cudaEventRecord(event, 0));
    if (write(ends[1], &p, sizeof p) != sizeof p || waitpid(other, &status, 0) != other)
        return 1;
    printf("the other process ended with %d\n", WEXITSTATUS(status));
    CHECK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", host[0], host[16], host[31]);
    CHECK(cudaMemcpy(host, memory + N - 1, sizeof *host, cudaMemcpyDeviceToHost));
    printf("%d\n", host[0]);
    CHECK(cudaMemcpy(host, pooled, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host[31]);
    CHECK(cudaMemset(memory, 0, N * sizeof *memory));
    CHECK(cudaMemcpy(host, memory + N / 2, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host[0]);
    CHECK(cudaFree(memory));
    CHECK(cudaFreeAsync(pooled, 0));
    return 0;
}
