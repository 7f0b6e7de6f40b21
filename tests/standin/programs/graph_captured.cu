// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void add(int *x, int value)
{
    atomicAdd(x, value);
}

int main()
{
    int *x, got = -1;
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    size_t nodes;
    CHECK(cudaMalloc(&x, sizeof *x));
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(x, 0, sizeof *x, a));
    CHECK(cudaEventRecord(fork, a));
    CHECK(cudaStreamWaitEvent(b, fork, 0));
    add<<<2, 32, 0, a>>>(x, 1);
    add<<<1, 32, 0, b>>>(x, 10);
    CHECK(cudaEventRecord(join, b));
    CHECK(cudaStreamWaitEvent(a, join, 0));
    CHECK(cudaMemcpyAsync(&got, x, sizeof got, cudaMemcpyDeviceToHost, a));
    CHECK(cudaStreamEndCapture(a, &graph));
    printf("before: %d\n", got);
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    printf("nodes: %zu\n", nodes);
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    for (int i = 0; i < 3; i++) {
        got = -1;
        CHECK(cudaGraphLaunch(run, a));
        CHECK(cudaStreamSynchronize(a));
        printf("run %d: %d\n", i, got);
    }
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    return got != 2 * 32 + 320;
}
