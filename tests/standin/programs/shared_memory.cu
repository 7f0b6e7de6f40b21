// SPDX-License-Identifier: Apache-2.0
// Memory, events and pools that two processes share: the child, forked before the first call, changes what the parent has.
#include "check.h"

#include <cstring>
#include <sys/socket.h>
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

// What is passed, and the file of the pool with it.
union with_file {
    char bytes[CMSG_SPACE(sizeof(int))];
    cmsghdr head;
};

static bool give(int to, passed *p, int file)
{
    with_file more = {};
    iovec bytes = {p, sizeof *p};
    msghdr message = {};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = &more;
    message.msg_controllen = sizeof more;
    more.head.cmsg_len = CMSG_LEN(sizeof file);
    more.head.cmsg_level = SOL_SOCKET;
    more.head.cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(&more.head), &file, sizeof file);
    return sendmsg(to, &message, 0) == sizeof *p;
}

static bool take(int from, passed *p, int *file)
{
    with_file more = {};
    iovec bytes = {p, sizeof *p};
    msghdr message = {};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = &more;
    message.msg_controllen = sizeof more;
    const bool is_whole = recvmsg(from, &message, 0) == sizeof *p;
    memcpy(file, CMSG_DATA(&more.head), sizeof *file);
    return is_whole;
}

static void child(int from)
{
    int file;
    passed p;
    int *whole, *again, *inner, *pooled;
    cudaEvent_t event;
    cudaMemPool_t pool;
    if (!take(from, &p, &file))
        exit(1);
    // A handle is of an allocation, of whatever address in it: it opens the base, which is the same each time (CUDA
    // Runtime API, cudaIpcGetMemHandle and cudaIpcOpenMemHandle).
    CHECK(cudaIpcOpenMemHandle((void **)&whole, p.whole, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&again, p.whole, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&inner, p.inner, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenEventHandle(&event, p.event));
    CHECK(cudaStreamWaitEvent(0, event, 0));
    cudaPointerAttributes about;
    CHECK(cudaPointerGetAttributes(&about, whole));
    // Each with an end of its own, which CHECK does not have.
    if (about.type != cudaMemoryTypeDevice)
        exit(4);
    if (again != whole)
        exit(5);
    if (inner != whole)
        exit(6);
    add<<<N / 256, 256>>>(whole, N, 5);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaIpcCloseMemHandle(again));
    add<<<1, 16>>>(inner + 16, 16, 100);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaIpcCloseMemHandle(whole));
    CHECK(cudaIpcCloseMemHandle(inner));
    if (cudaIpcCloseMemHandle(whole) != cudaErrorInvalidValue)
        exit(3);
    CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(size_t)file, cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(cudaMemPoolImportPointer((void **)&pooled, pool, &p.of_pool));
    add<<<1, 32>>>(pooled, 32, 7);
    CHECK(cudaFreeAsync(pooled, 0));
    CHECK(cudaDeviceSynchronize());
    exit(0);
}

int main()
{
    int ends[2], status = 0, file;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    const pid_t other = fork();
    if (other == 0)
        child(ends[0]);
    passed p;
    int *memory, *pooled, *plain_memory, host[32];
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
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &props));
    CHECK(cudaMallocFromPoolAsync((void **)&pooled, 32 * sizeof *pooled, pool, 0));
    CHECK(cudaMallocAsync(&plain_memory, 32 * sizeof *plain_memory, 0));
    printf("of a pool without handles: %s\n", cudaGetErrorName(cudaMemPoolExportPointer(&p.of_pool, plain_memory)));
    CHECK(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(cudaMemsetAsync(pooled, 0, 32 * sizeof *pooled, 0));
    CHECK(cudaMemPoolExportPointer(&p.of_pool, pooled));
    CHECK(cudaEventRecord(event, 0));
    if (!give(ends[1], &p, file) || waitpid(other, &status, 0) != other)
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
