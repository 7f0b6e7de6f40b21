// SPDX-License-Identifier: Apache-2.0
// Who owns what: a child graph that is moved into its node, memory that a launch leaves, and pools with a largest size.
// CUDA Runtime API, cudaGraphAddNode, cudaGraphLaunch, cudaMemPoolProps.
#include "check.h"

static const char *name(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

__global__ void add(int *to, int value)
{
    *to += value;
}

// The graph's own nodes are those of the instance, and the graph is nobody else's.
static void moved()
{
    cudaGraph_t child, parent, got, other;
    cudaGraphNode_t kernel, node;
    cudaGraphExec_t exec;
    int *sum, value = 3, result;
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    void *arguments[] = {&sum, &value};
    cudaKernelNodeParams params = {(void *)add, 1, 1, 0, arguments, NULL};
    CHECK(cudaGraphCreate(&child, 0));
    CHECK(cudaGraphCreate(&parent, 0));
    CHECK(cudaGraphCreate(&other, 0));
    CHECK(cudaGraphAddKernelNode(&kernel, child, NULL, 0, &params));
    cudaGraphNodeParams move = {cudaGraphNodeTypeGraph};
    move.graph.graph = child;
    move.graph.ownership = cudaGraphChildGraphOwnershipMove;
    CHECK(cudaGraphAddNode(&node, parent, NULL, NULL, 0, &move));
    CHECK(cudaGraphChildGraphNodeGetGraph(node, &got));
    printf("the same graph: %d\n", got == child);
    printf("destroyed: %s\n", name(cudaGraphDestroy(child)));
    printf("instantiated: %s\n", name(cudaGraphInstantiate(&exec, child, 0)));
    printf("moved again: %s\n", name(cudaGraphAddNode(&node, other, NULL, NULL, 0, &move)));
    move.graph.graph = parent;
    printf("the parent moved into it: %s\n", name(cudaGraphAddNode(&node, child, NULL, NULL, 0, &move)));
    CHECK(cudaGraphInstantiate(&exec, parent, 0));
    value = 7;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &params));
    CHECK(cudaGraphLaunch(exec, 0));
    from_gpu(&result, sum, 1);
    printf("its kernel's new value: %d\n", result);
    CHECK(cudaGraphDestroy(parent));
    printf("gone with the parent: %s\n", name(cudaGraphDestroy(child)));
}

static void left(unsigned long long flags)
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 1024;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory));
    CHECK(cudaGraphInstantiate(&exec, graph, flags));
    CHECK(cudaGraphLaunch(exec, 0));
    printf("launched again: %s,", name(cudaGraphLaunch(exec, 0)));
    CHECK(cudaFree(memory.dptr));
    printf(" when it is freed: %s,", name(cudaGraphLaunch(exec, 0)));
    CHECK(cudaFreeAsync(memory.dptr, 0));
    printf(" by a stream: %s\n", name(cudaGraphLaunch(exec, 0)));
}

static void pools()
{
    enum { MOST = 64 << 20 };
    cudaMemPool_t pool;
    cudaMemPoolProps properties = {};
    cudaStream_t stream;
    void *first, *second;
    CHECK(cudaStreamCreate(&stream));
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.maxSize = MOST;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    static const cudaMemPoolAttr reuses[] = {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
                                             cudaMemPoolReuseAllowInternalDependencies};
    printf("reuses:");
    for (cudaMemPoolAttr reuse : reuses) {
        int is;
        CHECK(cudaMemPoolGetAttribute(pool, reuse, &is));
        printf(" %d", is);
    }
    printf("\ntoo much: %s\n", name(cudaMallocFromPoolAsync(&first, 2 * MOST, pool, stream)));
    CHECK(cudaMallocFromPoolAsync(&first, MOST / 2, pool, stream));
    printf("too much more: %s\n", name(cudaMallocFromPoolAsync(&second, MOST, pool, stream)));
    CHECK(cudaFreeAsync(first, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolDestroy(pool));
}

int main()
{
    moved();
    left(0);
    left(cudaGraphInstantiateFlagAutoFreeOnLaunch);
    pools();
}
