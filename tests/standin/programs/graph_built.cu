// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void fill(int *x, int value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = value + i;
}

int main()
{
    int n = 1000, value = 7, *x, *host = (int *)malloc(n * sizeof(int)), bad = 0;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaGraphNode_t kernel, copy;
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    CHECK(cudaGraphCreate(&graph, 0));
    void *arguments[] = {&x, &value, &n};
    cudaKernelNodeParams what = {};
    what.func = (void *)fill;
    what.gridDim = dim3(8);
    what.blockDim = dim3(128);
    what.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &what));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, x, n * sizeof(int),
                                   cudaMemcpyDeviceToHost));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    CHECK(cudaGraphLaunch(run, 0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        bad += host[i] != 7 + i;
    value = 100; /* the graph has its own copy until it is told */
    CHECK(cudaGraphExecKernelNodeSetParams(run, kernel, &what));
    CHECK(cudaGraphLaunch(run, 0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        bad += host[i] != 100 + i;
    printf("wrong: %d\n", bad);
    return bad != 0;
}
