// SPDX-License-Identifier: Apache-2.0
// Kernels of graphs that wait for the host, or for a kernel of another branch: the launch of the graph returns, and what
// follows in its stream waits (CUDA C++ Programming Guide, "CUDA Graphs" and "Streams").
#include "check.h"

__global__ void when_set(volatile int *flag, int *to)
{
    while (*flag == 0)
        ;
    *to = *flag + 40;
}

__global__ void set(volatile int *flag, int value)
{
    *flag = value;
}

__global__ void twice(int *at)
{
    *at *= 2;
}

static int *flag, *result, *pinned;
static cudaStream_t s, t;

static const char *name(cudaError_t code)
{
    return cudaGetErrorName(code);
}

static void say(void *user)
{
    printf("the host function sees %d\n", *(int *)user);
}

static cudaGraphNode_t add(cudaGraph_t graph, cudaGraphNode_t after, void *function, void **arguments)
{
    cudaGraphNode_t node;
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&node, graph, after ? &after : NULL, after != NULL, &params));
    return node;
}

static int value()
{
    int at;
    CHECK(cudaMemcpy(&at, result, sizeof at, cudaMemcpyDeviceToHost));
    return at;
}

static cudaGraphExec_t instantiated(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphUpload(exec, s));
    CHECK(cudaStreamSynchronize(s));
    return exec;
}

// The kernel waits for the host; a copy, a host function and what the stream is given then follow.
static void for_the_host(bool is_inner)
{
    cudaGraph_t graph, outer;
    cudaGraphNode_t node;
    void *waits[] = {&flag, &result}, *doubles[] = {&result};
    cudaHostNodeParams host = {say, pinned};
    CHECK(cudaGraphCreate(&graph, 0));
    node = add(graph, add(graph, NULL, (void *)when_set, waits), (void *)twice, doubles);
    CHECK(cudaGraphAddMemcpyNode1D(&node, graph, &node, 1, pinned, result, sizeof *pinned, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddHostNode(&node, graph, &node, 1, &host));
    if (is_inner) {
        CHECK(cudaGraphCreate(&outer, 0));
        CHECK(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, graph));
        add(outer, node, (void *)twice, doubles);
        CHECK(cudaGraphDestroy(graph));
        graph = outer;
    }
    cudaGraphExec_t exec = instantiated(graph);
    *flag = 0;
    CHECK(cudaGraphLaunch(exec, s));
    twice<<<1, 1, 0, s>>>(result);
    const char *first = name(cudaStreamQuery(s)), *other = name(cudaStreamQuery(t));
    printf("%s %s\n", first, other);
    *flag = 2;
    CHECK(cudaStreamSynchronize(s));
    printf("%s %d\n", name(cudaStreamQuery(s)), value());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

// The branch that waits was made first.
static void for_another_branch()
{
    cudaGraph_t graph;
    int five = 5;
    void *waits[] = {&flag, &result}, *doubles[] = {&result}, *sets[] = {&flag, &five};
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = add(graph, NULL, (void *)twice, doubles);
    add(graph, add(graph, first, (void *)when_set, waits), (void *)twice, doubles);
    add(graph, first, (void *)set, sets);
    cudaGraphExec_t exec = instantiated(graph);
    *flag = 0;
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    printf("another branch: %d\n", value());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

// Two launches of one graph follow each other; the graph may go before they are done.
static void two_launches()
{
    cudaGraph_t graph;
    void *waits[] = {&flag, &result}, *doubles[] = {&result};
    CHECK(cudaGraphCreate(&graph, 0));
    add(graph, add(graph, NULL, (void *)when_set, waits), (void *)twice, doubles);
    cudaGraphExec_t exec = instantiated(graph), none;
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphCreate(&graph, 0));
    add(graph, NULL, (void *)twice, doubles);
    none = instantiated(graph);
    CHECK(cudaGraphDestroy(graph));
    *flag = 0;
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaGraphLaunch(none, s));
    printf("%s\n", name(cudaStreamQuery(s)));
    *flag = 10;
    CHECK(cudaStreamSynchronize(s));
    printf("two launches: %d\n", value());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphExecDestroy(none));
}

int main()
{
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CHECK(cudaMallocHost((void **)&flag, sizeof *flag));
    CHECK(cudaMallocHost((void **)&pinned, sizeof *pinned));
    CHECK(cudaMalloc((void **)&result, sizeof *result));
    CHECK(cudaMemset(result, 0, sizeof *result));
    *flag = 1;
    when_set<<<1, 1, 0, s>>>(flag, result);
    twice<<<1, 1, 0, s>>>(result);
    set<<<1, 1, 0, s>>>(flag, 0);
    CHECK(cudaDeviceSynchronize());
    for_the_host(false);
    for_the_host(true);
    for_another_branch();
    two_launches();
}
