// SPDX-License-Identifier: Apache-2.0
// Events that are nodes of a captured graph: a launch records them and waits for them, as it comes to them. CUDA Runtime API,
// cudaEventRecordWithFlags, cudaStreamWaitEvent.
#include "check.h"
#include <vector>

__global__ void when_set(volatile int *flag, int *to)
{
    while (*flag == 0)
        ;
    *to += 7;
}

__global__ void twice(int *at)
{
    *at *= 2;
}

static void print_nodes(cudaGraph_t graph)
{
    size_t count = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
    for (cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(node, &type));
        printf("%s ", type == cudaGraphNodeTypeEventRecord      ? "record"
                      : type == cudaGraphNodeTypeWaitEvent      ? "wait"
                      : type == cudaGraphNodeTypeKernel         ? "kernel"
                                                                : "other");
    }
    printf("\n");
}

int main()
{
    int *flag, *value, got;
    cudaStream_t s, t;
    cudaEvent_t begin, end, other;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float ms;
    CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    CHECK(cudaMalloc(&value, sizeof *value));
    CHECK(cudaMemset(value, 0, sizeof *value));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreate(&other));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecordWithFlags(begin, s, cudaEventRecordExternal));
    CHECK(cudaStreamWaitEvent(s, other, cudaEventWaitExternal));
    twice<<<1, 1, 0, s>>>(value);
    CHECK(cudaEventRecordWithFlags(end, s, cudaEventRecordExternal));
    CHECK(cudaStreamEndCapture(s, &graph));
    print_nodes(graph);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    *flag = 1;
    when_set<<<1, 1, 0, t>>>(flag, value);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaMemcpy(&got, value, sizeof got, cudaMemcpyDeviceToHost));
    printf("%d %d\n", got, ms > 0);
    *flag = 0;
    when_set<<<1, 1, 0, t>>>(flag, value);
    CHECK(cudaEventRecord(other, t));
    CHECK(cudaGraphLaunch(exec, s));
    printf("%s %s", cudaGetErrorName(cudaEventQuery(begin)), cudaGetErrorName(cudaEventQuery(end)));
    *flag = 1;
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaMemcpy(&got, value, sizeof got, cudaMemcpyDeviceToHost));
    printf(" %d\n", got);
    return 0;
}
