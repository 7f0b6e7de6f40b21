// SPDX-License-Identifier: Apache-2.0
// Who owns what: a child graph that is moved into its node, graphs whose nodes allocate memory, memory that a launch leaves,
// and pools with a largest size. CUDA Runtime API, cudaGraphAddNode, cudaGraphLaunch, cudaMemPoolProps. An H200 (driver 580)
// prints the same.
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

static cudaGraph_t with_kernel(cudaGraphNode_t *kernel, const cudaKernelNodeParams *params)
{
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(kernel, graph, NULL, 0, params));
    return graph;
}

static cudaGraphNodeParams moved(cudaGraph_t graph)
{
    cudaGraphNodeParams move = {cudaGraphNodeTypeGraph};
    move.graph.graph = graph;
    move.graph.ownership = cudaGraphChildGraphOwnershipMove;
    return move;
}

// A graph is moved once only; a graph that is moved into its own child is nobody's to instantiate.
static void rings(const cudaKernelNodeParams &params)
{
    cudaGraph_t parent, got, other;
    cudaGraphNode_t kernel, node;
    cudaGraphExec_t exec;
    cudaGraph_t child = with_kernel(&kernel, &params);
    CHECK(cudaGraphCreate(&parent, 0));
    CHECK(cudaGraphCreate(&other, 0));
    cudaGraphNodeParams move = moved(child), back = moved(parent);
    CHECK(cudaGraphAddNode(&node, parent, NULL, NULL, 0, &move));
    CHECK(cudaGraphChildGraphNodeGetGraph(node, &got));
    printf("the same graph: %d\n", got == child);
    printf("destroyed: %s\n", name(cudaGraphDestroy(child)));
    printf("instantiated: %s\n", name(cudaGraphInstantiate(&exec, child, 0)));
    printf("moved again: %s\n", name(cudaGraphAddNode(&node, other, NULL, NULL, 0, &move)));
    printf("the parent moved into it: %s\n", name(cudaGraphAddNode(&node, child, NULL, NULL, 0, &back)));
    printf("the parent instantiated: %s\n", name(cudaGraphInstantiate(&exec, parent, 0)));
}

static void memory_nodes()
{
    cudaGraph_t graph, clone, parent;
    cudaGraphNode_t allocated, freed, node;
    cudaGraphExec_t exec, second;
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 1024;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&parent, 0));
    CHECK(cudaGraphAddMemAllocNode(&allocated, graph, NULL, 0, &memory));
    CHECK(cudaGraphAddMemFreeNode(&freed, graph, &allocated, 1, memory.dptr));
    printf("cloned: %s,", name(cudaGraphClone(&clone, graph)));
    printf(" a child: %s,", name(cudaGraphAddChildGraphNode(&node, parent, NULL, 0, graph)));
    printf(" instantiated: %s,", name(cudaGraphInstantiate(&exec, graph, 0)));
    printf(" twice: %s\n", name(cudaGraphInstantiate(&second, graph, 0)));
}

// The graph's own nodes are those of the instance.
static void instantiated(cudaKernelNodeParams &params, int *sum, int *value)
{
    cudaGraph_t parent;
    cudaGraphNode_t kernel, node;
    cudaGraphExec_t exec;
    int result;
    cudaGraph_t child = with_kernel(&kernel, &params);
    CHECK(cudaGraphCreate(&parent, 0));
    cudaGraphNodeParams move = moved(child);
    CHECK(cudaGraphAddNode(&node, parent, NULL, NULL, 0, &move));
    CHECK(cudaGraphInstantiate(&exec, parent, 0));
    *value = 7;
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
    int *sum, value = 3;
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    void *arguments[] = {&sum, &value};
    cudaKernelNodeParams params = {(void *)add, 1, 1, 0, arguments, NULL};
    rings(params);
    memory_nodes();
    instantiated(params, sum, &value);
    left(0);
    left(cudaGraphInstantiateFlagAutoFreeOnLaunch);
    pools();
}
