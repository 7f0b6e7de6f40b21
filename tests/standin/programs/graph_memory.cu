// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate and give back: by nodes, and captured; launched again it is there again.
#include "check.h"

__global__ void fill(int *x, int value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = value + i;
}

__global__ void sum(const int *x, int *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(out, x[i]);
}

static int captured(int *out, int n)
{
    int *x, got;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync((void **)&x, n * sizeof *x, stream));
    fill<<<n / 128, 128, 0, stream>>>(x, 1, n);
    sum<<<1, 128, 0, stream>>>(x, out, n);
    CHECK(cudaFreeAsync(x, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaMemset(out, 0, sizeof *out));
    for (int i = 0; i < 2; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    printf("captured: %zu nodes\n", nodes);
    return got;
}

static int by_nodes(int *out, int n)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t allocate, fills, sums, release;
    cudaMemAllocNodeParams memory = {};
    cudaKernelNodeParams kernel = {};
    int value = 2, got;
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = n * sizeof(int);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemAllocNode(&allocate, graph, NULL, 0, &memory));
    void *fill_arguments[] = {&memory.dptr, &value, &n}, *sum_arguments[] = {&memory.dptr, &out, &n};
    kernel.func = (void *)fill;
    kernel.gridDim = dim3(n / 128);
    kernel.blockDim = dim3(128);
    kernel.kernelParams = fill_arguments;
    CHECK(cudaGraphAddKernelNode(&fills, graph, &allocate, 1, &kernel));
    kernel.func = (void *)sum;
    kernel.gridDim = dim3(1);
    kernel.kernelParams = sum_arguments;
    CHECK(cudaGraphAddKernelNode(&sums, graph, &fills, 1, &kernel));
    CHECK(cudaGraphAddMemFreeNode(&release, graph, &sums, 1, memory.dptr));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(allocate, &type));
    printf("types: %d", type == cudaGraphNodeTypeMemAlloc);
    CHECK(cudaGraphNodeGetType(release, &type));
    printf(" %d\n", type == cudaGraphNodeTypeMemFree);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaMemset(out, 0, sizeof *out));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    return got;
}

int main()
{
    const int n = 1024, first = n * (n - 1) / 2;
    int *out;
    CHECK(cudaMalloc(&out, sizeof *out));
    printf("sum: %s\n", captured(out, n) == 2 * (first + n) ? "right" : "wrong");
    printf("sum: %s\n", by_nodes(out, n) == 2 * (first + 2 * n) ? "right" : "wrong");
    return 0;
}
