// SPDX-License-Identifier: Apache-2.0
// What the nodes of a captured graph wait for: CUDA C++ Programming Guide, "Cross-stream Dependencies and Events"; and what
// pools hold.
#include "check.h"
#include <algorithm>
#include <vector>

__global__ void add(int *x, int v)
{
    *x += v;
}

__global__ void sum(const int *a, const int *b, int *c)
{
    *c = *a + *b;
}

// Of the runtime's two forms, that of 13 has the edges' data.
static cudaError_t edges_of(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
#if CUDART_VERSION >= 13000
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
#else
    return cudaGraphGetEdges(graph, from, to, count);
#endif
}

static size_t before(cudaGraphNode_t node)
{
    size_t count = 0;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphNodeGetDependencies(node, nullptr, nullptr, &count));
#else
    CHECK(cudaGraphNodeGetDependencies(node, nullptr, &count));
#endif
    return count;
}

static size_t behind(cudaGraphNode_t node)
{
    size_t count = 0;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphNodeGetDependentNodes(node, nullptr, nullptr, &count));
#else
    CHECK(cudaGraphNodeGetDependentNodes(node, nullptr, &count));
#endif
    return count;
}

static void print_shape(cudaGraph_t graph)
{
    size_t nodes = 0, roots = 0, edges = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    CHECK(edges_of(graph, nullptr, nullptr, &edges));
    std::vector<cudaGraphNode_t> all(nodes), from(edges + 1), to(edges + 1);
    size_t room = edges + 1, most_before = 0, most_behind = 0;
    CHECK(cudaGraphGetNodes(graph, all.data(), &nodes));
    CHECK(edges_of(graph, from.data(), to.data(), &room));
    for (cudaGraphNode_t node : all) {
        most_before = std::max(most_before, before(node));
        most_behind = std::max(most_behind, behind(node));
    }
    printf("%zu nodes, %zu of them first, %zu edges, at most %zu before and %zu behind, %d\n", nodes, roots, edges,
           most_before, most_behind, room == edges && !from[edges] && !to[edges]);
}

// Two branches from one node, which meet again.
static void branches(int *a, int *b, int *c)
{
    cudaStream_t s, t;
    cudaEvent_t e, f;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int result;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventCreate(&f));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(a, 0, sizeof *a, s));
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaStreamWaitEvent(t, e, 0));
    CHECK(cudaMemsetAsync(b, 0, sizeof *b, t));
    add<<<1, 1, 0, t>>>(b, 5);
    add<<<1, 1, 0, s>>>(a, 3);
    add<<<1, 1, 0, s>>>(a, 10);
    CHECK(cudaEventRecord(f, t));
    CHECK(cudaStreamWaitEvent(s, f, 0));
    sum<<<1, 1, 0, s>>>(a, b, c);
    CHECK(cudaStreamEndCapture(s, &graph));
    print_shape(graph);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    from_gpu(&result, c, 1);
    printf("%d\n", result);
    // A branch that does not come back.
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(a, 1);
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaStreamWaitEvent(t, e, 0));
    add<<<1, 1, 0, t>>>(b, 1);
    const cudaError_t code = cudaStreamEndCapture(s, &graph);
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(t, &status));
    printf("%s, %d %d\n", cudaGetErrorName(code), graph == nullptr, status == cudaStreamCaptureStatusNone);
    cudaGetLastError();
}

static unsigned long long held(cudaMemPool_t pool, cudaMemPoolAttr what)
{
    unsigned long long bytes = 0;
    CHECK(cudaMemPoolGetAttribute(pool, what, &bytes));
    return bytes;
}

static void pools()
{
    cudaMemPool_t own, made;
    cudaMemPoolProps properties = {};
    void *p, *q, *r;
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaDeviceGetDefaultMemPool(&own, 0));
    CHECK(cudaMemPoolCreate(&made, &properties));
    CHECK(cudaMallocAsync(&p, 1 << 20, 0));
    CHECK(cudaMallocFromPoolAsync(&q, 1 << 21, made, 0));
    CHECK(cudaMallocFromPoolAsync(&r, 1 << 20, made, 0));
    printf("%llu %llu", held(own, cudaMemPoolAttrUsedMemCurrent) >> 20, held(made, cudaMemPoolAttrUsedMemCurrent) >> 20);
    CHECK(cudaFreeAsync(q, 0));
    CHECK(cudaFreeAsync(p, 0));
    CHECK(cudaStreamSynchronize(0));
    printf(" %llu %llu %llu\n", held(own, cudaMemPoolAttrUsedMemCurrent) >> 20,
           held(made, cudaMemPoolAttrUsedMemCurrent) >> 20, held(made, cudaMemPoolAttrUsedMemHigh) >> 20);
    CHECK(cudaFreeAsync(r, 0));
    CHECK(cudaMemPoolDestroy(made));
}

int main()
{
    int *a, *b, *c;
    CHECK(cudaMalloc(&a, sizeof *a));
    CHECK(cudaMalloc(&b, sizeof *b));
    CHECK(cudaMalloc(&c, sizeof *c));
    branches(a, b, c);
    pools();
    return 0;
}
