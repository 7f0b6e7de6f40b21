// SPDX-License-Identifier: Apache-2.0
// Conditional nodes of graphs: if with and without else, while, switch, one in another, defaults that apply at each launch and
// values that stay from one launch to the next, nodes by the call for all kinds. CUDA Runtime API, cudaGraphAddNode.
#include "check.h"

__global__ void choose(cudaGraphConditionalHandle handle, const int *value)
{
    if (threadIdx.x == 0)
        cudaGraphSetConditional(handle, (unsigned)*value);
}

__global__ void add(int *to, int value)
{
    *to += value;
}

__global__ void count_down(cudaGraphConditionalHandle handle, int *left)
{
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

static int *value, *sum; // of the GPU

static int take_sum()
{
    int got;
    CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(sum, 0, sizeof got));
    return got;
}

template <typename... T> static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void *kernel, T... words)
{
    void *arguments[] = {(void *)&words...};
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = kernel;
    params.kernel.gridDim = params.kernel.blockDim = {1, 1, 1};
    params.kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, after ? &after : NULL, NULL, after != NULL, &params));
    return node;
}

static cudaGraph_t *add_condition(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                                  cudaGraphConditionalNodeType type, unsigned bodies)
{
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = bodies;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, after ? &after : NULL, NULL, after != NULL, &params));
    cudaGraphNodeType is;
    CHECK(cudaGraphNodeGetType(node, &is));
    if (is != cudaGraphNodeTypeConditional)
        printf("a node of type %d\n", is);
    return params.conditional.phGraph_out;
}

static void run(cudaGraph_t graph, const int *values, int count, const char *what)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    printf("%s:", what);
    for (int i = 0; i < count; i++) {
        CHECK(cudaMemcpy(value, &values[i], sizeof(int), cudaMemcpyHostToDevice));
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        printf(" %d", take_sum());
    }
    printf("\n");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void branches(unsigned bodies)
{
    static const int values[] = {0, 1, 7, 0};
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    cudaGraphNode_t first = add_kernel(graph, NULL, (void *)choose, handle, value);
    cudaGraph_t *body = add_condition(graph, first, handle, cudaGraphCondTypeIf, bodies);
    add_kernel(body[0], NULL, (void *)add, sum, 10);
    if (bodies > 1)
        add_kernel(body[1], NULL, (void *)add, sum, 3);
    run(graph, values, 4, bodies > 1 ? "if and else" : "if");
}

static void switches()
{
    static const int values[] = {0, 1, 2, 3};
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    cudaGraphNode_t first = add_kernel(graph, NULL, (void *)choose, handle, value);
    cudaGraph_t *body = add_condition(graph, first, handle, cudaGraphCondTypeSwitch, 3);
    for (int i = 0; i < 3; i++)
        add_kernel(body[i], NULL, (void *)add, sum, 100 + i);
    run(graph, values, 4, "switch of 3");
}

// The body is captured; in it an if that stays set from the first launch on, since it has no default.
static void loops()
{
    static const int values[] = {5, 2};
    static const int one = 1;
    cudaGraph_t graph;
    cudaStream_t stream;
    cudaGraphConditionalHandle again, inner;
    int *set;
    CHECK(cudaMalloc(&set, sizeof one));
    CHECK(cudaMemcpy(set, &one, sizeof one, cudaMemcpyHostToDevice));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = *add_condition(graph, NULL, again, cudaGraphCondTypeWhile, 1);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(sum, 1);
    count_down<<<1, 1, 0, stream>>>(again, value);
    CHECK(cudaStreamEndCapture(stream, NULL));
    CHECK(cudaGraphConditionalHandleCreate(&inner, body));
    size_t count = 2;
    cudaGraphNode_t nodes[2];
    CHECK(cudaGraphGetNodes(body, nodes, &count));
    cudaGraph_t *then = add_condition(body, nodes[1], inner, cudaGraphCondTypeIf, 1);
    add_kernel(then[0], NULL, (void *)add, sum, 1000);
    cudaGraphNode_t loop;
    count = 1;
    CHECK(cudaGraphGetNodes(graph, &loop, &count));
    add_kernel(graph, loop, (void *)choose, inner, set);
    run(graph, values, 2, "while, 5 and 2 times");
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(set));
}

static void errors()
{
    cudaGraph_t graph, other;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphCreate(&graph, 0));
    printf("flags 2: %s\n", cudaGetErrorName(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2)));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 2;
    printf("while with two bodies: %s\n", cudaGetErrorName(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params)));
    cudaGraph_t body = *add_condition(graph, NULL, handle, cudaGraphCondTypeWhile, 1);
    params.conditional.size = 1;
    printf("the handle of another node: %s\n", cudaGetErrorName(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params)));
    printf("a clone: %s\n", cudaGetErrorName(cudaGraphClone(&other, graph)));
    printf("its body destroyed: %s\n", cudaGetErrorName(cudaGraphDestroy(body)));
    CHECK(cudaGraphDestroy(graph));
    printf("its body afterwards: %s\n", cudaGetErrorName(cudaGraphAddEmptyNode(&node, body, NULL, 0)));
}

int main()
{
    CHECK(cudaMalloc(&value, sizeof(int)));
    CHECK(cudaMalloc(&sum, sizeof(int)));
    take_sum();
    branches(1);
    branches(2);
    switches();
    loops();
    errors();
}
