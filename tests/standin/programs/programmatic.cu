// SPDX-License-Identifier: Apache-2.0
// Kernels that may begin before the one ahead of them has ended: launched, captured, as edges of graphs, and events within a
// launch. CUDA C++ Programming Guide, "Programmatic Dependent Launch"; CUDA Runtime API, cudaGraphEdgeData.
#include "check.h"

__global__ void first(int *data)
{
    data[threadIdx.x] = threadIdx.x + 1;
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void second(const int *data, int *out)
{
    cudaGridDependencySynchronize();
    out[threadIdx.x] = data[threadIdx.x] * 10;
}

static const char *name(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

static int *data, *out;
static cudaStream_t stream, other;

static void show(const char *what)
{
    int got[32];
    CHECK(cudaDeviceSynchronize());
    from_gpu(got, out, 32);
    CHECK(cudaMemset(out, 0, sizeof got));
    printf("%s: %d %d\n", what, got[0], got[31]);
}

static void show_edges(cudaGraph_t graph)
{
    size_t count = 4;
    cudaGraphNode_t from[4], to[4];
    cudaGraphEdgeData edges[4];
    CHECK(cudaGraphGetEdges(graph, from, to, edges, &count));
    for (size_t i = 0; i < count; i++)
        printf("an edge from port %d to port %d of type %d\n", edges[i].from_port, edges[i].to_port, edges[i].type);
}

static cudaLaunchAttribute early()
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    return attribute;
}

static cudaLaunchConfig_t in(cudaStream_t where, cudaLaunchAttribute *attribute)
{
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = 1;
    configuration.blockDim = 32;
    configuration.stream = where;
    configuration.attrs = attribute;
    configuration.numAttrs = 1;
    return configuration;
}

static void run(cudaGraph_t graph, const char *what)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    show(what);
}

static void serialized()
{
    cudaGraph_t graph;
    cudaLaunchAttribute attribute = early();
    cudaLaunchConfig_t configuration = in(stream, &attribute);
    first<<<1, 32, 0, stream>>>(data);
    CHECK(cudaLaunchKernelEx(&configuration, second, (const int *)data, out));
    show("launched");
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    first<<<1, 32, 0, stream>>>(data);
    CHECK(cudaLaunchKernelEx(&configuration, second, (const int *)data, out));
    CHECK(cudaStreamEndCapture(stream, &graph));
    show_edges(graph);
    run(graph, "captured");
}

// The event is one of the capture, and another stream joins by it.
static void events()
{
    cudaGraph_t graph;
    cudaEvent_t event, back;
    cudaLaunchAttribute attribute = {};
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&back, cudaEventDisableTiming));
    attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
    attribute.val.launchCompletionEvent.event = event;
    cudaLaunchConfig_t configuration = in(stream, &attribute);
    CHECK(cudaLaunchKernelEx(&configuration, first, data));
    CHECK(cudaEventSynchronize(event));
    attribute.id = cudaLaunchAttributeProgrammaticEvent;
    attribute.val.programmaticEvent.event = event;
    attribute.val.programmaticEvent.flags = 0;
    attribute.val.programmaticEvent.triggerAtBlockStart = 0;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaLaunchKernelEx(&configuration, first, data));
    CHECK(cudaStreamWaitEvent(other, event));
    second<<<1, 32, 0, other>>>(data, out);
    CHECK(cudaEventRecord(back, other));
    CHECK(cudaStreamWaitEvent(stream, back));
    CHECK(cudaStreamEndCapture(stream, &graph));
    size_t count;
    CHECK(cudaGraphGetNodes(graph, NULL, &count));
    printf("nodes of two streams: %zu\n", count);
    run(graph, "by an event");
}

static void edges()
{
    cudaGraph_t graph;
    cudaGraphNode_t a, b, empty;
    void *of_first[] = {&data}, *of_second[] = {&data, &out};
    cudaKernelNodeParams one = {(void *)first, 1, 32, 0, of_first, NULL}, two = {(void *)second, 1, 32, 0, of_second, NULL};
    cudaGraphEdgeData edge = {}, got;
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&a, graph, NULL, 0, &one));
    CHECK(cudaGraphAddKernelNode(&b, graph, NULL, 0, &two));
    CHECK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    CHECK(cudaGraphAddDependencies(graph, &a, &b, &edge, 1));
    show_edges(graph);
    size_t count = 1;
    cudaGraphNode_t from, to;
    printf("without data: %s", name(cudaGraphGetEdges(graph, &from, &to, NULL, &count)));
    count = 1;
    printf(", of a node: %s\n", name(cudaGraphNodeGetDependencies(b, &from, NULL, &count)));
    count = 1;
    CHECK(cudaGraphNodeGetDependentNodes(a, &to, &got, &count));
    printf("behind the first: %d, from port %d\n", to == b, got.from_port);
    run(graph, "built");
    printf("to an empty node: %s\n", name(cudaGraphAddDependencies(graph, &a, &empty, &edge, 1)));
    edge.type = 7;
    printf("of type 7: %s\n", name(cudaGraphAddDependencies(graph, &b, &a, &edge, 1)));
    edge.type = cudaGraphDependencyTypeProgrammatic;
    printf("removed, whatever it is: %s\n", name(cudaGraphRemoveDependencies(graph, &a, &b, NULL, 1)));
    printf("this one: %s\n", name(cudaGraphRemoveDependencies(graph, &a, &b, &edge, 1)));
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    printf("edges left: %zu\n", count);
}

int main()
{
    CHECK(cudaMalloc(&data, 32 * sizeof(int)));
    CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&other));
    serialized();
    events();
    edges();
}
