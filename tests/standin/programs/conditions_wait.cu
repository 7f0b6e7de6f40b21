// SPDX-License-Identifier: Apache-2.0
// Kernels in bodies of conditional nodes that wait for what the host or another kernel does after the graph's launch; loops
// of graphs that ask the host. Each kernel runs once before, so that a GPU need not load its code while another waits.
#include "check.h"
#include <unistd.h>

__global__ void when_set(volatile int *flag, int *to, int value)
{
    while (*flag == 0)
        ;
    *to += value;
}

__global__ void set(volatile int *flag, int value)
{
    *flag = value;
}

__global__ void add(int *to, int value)
{
    *to += value;
}

// Nothing in it waits: the loop around it does.
__global__ void until_set(cudaGraphConditionalHandle handle, const int *flag, int *rounds)
{
    *rounds += 1;
    cudaGraphSetConditional(handle, *flag == 0);
}

// Round n begins when the host asks for n, and is the last one if the host says so.
__global__ void answer(cudaGraphConditionalHandle handle, volatile int *asked, volatile int *answered, int *n)
{
    *n += 1;
    while (*asked < *n)
        ;
    *answered = *n * *n;
    __threadfence_system();
    if (asked[2] == *n)
        cudaGraphSetConditional(handle, 0);
}

__global__ void choose(cudaGraphConditionalHandle handle, unsigned value)
{
    cudaGraphSetConditional(handle, value);
}

static int *flag, *sum; // of the host; of the GPU
static cudaStream_t s, t;

static int take_sum()
{
    int got;
    CHECK(cudaMemcpyAsync(&got, sum, sizeof got, cudaMemcpyDeviceToHost, s));
    CHECK(cudaMemsetAsync(sum, 0, sizeof got, s));
    CHECK(cudaStreamSynchronize(s));
    return got;
}

static const char *state(cudaStream_t stream)
{
    return cudaGetErrorName(cudaStreamQuery(stream));
}

template <typename... T>
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void (*kernel)(T...), T... words)
{
    void *arguments[] = {(void *)&words...};
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = (void *)kernel;
    params.kernel.gridDim = params.kernel.blockDim = {1, 1, 1};
    params.kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, after ? &after : NULL, NULL, after != NULL, &params));
    return node;
}

static cudaGraph_t *add_condition(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                                  cudaGraphConditionalNodeType type, unsigned bodies, cudaGraphNode_t *node)
{
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = bodies;
    CHECK(cudaGraphAddNode(node, graph, after ? &after : NULL, NULL, after != NULL, &params));
    return params.conditional.phGraph_out;
}

static cudaGraphExec_t ready(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphUpload(exec, s));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static void finish(cudaGraphExec_t exec)
{
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaGraphExecDestroy(exec));
}

// The body waits for the host, what follows the node in the graph and in the stream for the body. The second launch is given
// while the first one waits, and begins with the default again, which the first one's last node has cleared.
static void in_an_if()
{
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = add_condition(graph, NULL, handle, cudaGraphCondTypeIf, 1, &node)[0];
    cudaGraphNode_t first = add_kernel(body, NULL, when_set, (volatile int *)flag, sum, 10);
    add_kernel(body, first, add, sum, 1);
    add_kernel(graph, add_kernel(graph, node, add, sum, 100), choose, handle, 0u);
    cudaGraphExec_t exec = ready(graph);
    *flag = 0;
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaGraphLaunch(exec, s));
    add<<<1, 1, 0, s>>>(sum, 1000);
    printf("if: %s", state(s));
    *flag = 1;
    CHECK(cudaStreamSynchronize(s));
    printf(" %s %d\n", state(s), take_sum());
    finish(exec);
}

static void in_a_while()
{
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = add_condition(graph, NULL, handle, cudaGraphCondTypeWhile, 1, &node)[0];
    volatile int *asked = flag, *answered = flag + 1;
    cudaGraphNode_t first = add_kernel(body, NULL, answer, handle, asked, answered, sum);
    add_kernel(body, first, add, sum + 1, 1);
    cudaGraphExec_t exec = ready(graph);
    asked[0] = 0;
    asked[2] = 5;
    CHECK(cudaGraphLaunch(exec, s));
    printf("while: %s", state(s));
    for (int i = 1; i <= 5; i++) { // the host makes no calls
        *answered = 0;
        *asked = i;
        for (int wait = 0; *answered == 0 && wait < 10000; wait++)
            usleep(1000);
        printf(" %d", *answered);
    }
    CHECK(cudaStreamSynchronize(s));
    int rounds;
    CHECK(cudaMemcpy(&rounds, sum + 1, sizeof rounds, cudaMemcpyDeviceToHost));
    printf(", %d and %d rounds\n", take_sum(), rounds);
    finish(exec);
}

// Of two branches of a body one waits for the other. The one that waits comes first. They are in an if in the switch's body.
static void in_a_switch()
{
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle, inner;
    cudaGraphNode_t node;
    volatile int *own = sum + 2;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t *bodies = add_condition(graph, NULL, handle, cudaGraphCondTypeSwitch, 2, &node);
    add_kernel(bodies[0], NULL, add, sum, 5);
    CHECK(cudaGraphConditionalHandleCreate(&inner, bodies[1]));
    cudaGraphNode_t chooses = add_kernel(bodies[1], NULL, choose, inner, 3u);
    cudaGraph_t body = add_condition(bodies[1], chooses, inner, cudaGraphCondTypeIf, 1, &node)[0];
    cudaGraphNode_t waits = add_kernel(body, NULL, when_set, own, sum, 20);
    add_kernel(body, NULL, set, own, 1);
    add_kernel(body, waits, set, own, 0);
    add_kernel(bodies[1], node, add, sum, 300);
    cudaGraphExec_t exec = ready(graph);
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    printf("switch: %d\n", take_sum());
    finish(exec);
}

// For a kernel of a stream, that is given later; and for a kernel beside the node.
static void for_others()
{
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    volatile int *own = sum + 2, *other = sum + 3;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = add_condition(graph, NULL, handle, cudaGraphCondTypeIf, 1, &node)[0];
    add_kernel(body, add_kernel(body, NULL, when_set, own, sum, 1), when_set, other, sum, 10);
    add_kernel(graph, NULL, set, own, 1);
    cudaGraphExec_t exec = ready(graph);
    CHECK(cudaGraphLaunch(exec, s));
    printf("for others: %s %s", state(s), state(t));
    set<<<1, 1, 0, t>>>(other, 1);
    CHECK(cudaStreamSynchronize(s));
    printf(" %d\n", take_sum());
    set<<<1, 1, 0, s>>>(own, 0);
    set<<<1, 1, 0, s>>>(other, 0);
    finish(exec);
}

// The loop goes round until the host sets the flag, or a kernel of another stream does.
static void loops_that_ask(bool by_host)
{
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    int *asked = by_host ? flag : sum + 2;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = add_condition(graph, NULL, handle, cudaGraphCondTypeWhile, 1, &node)[0];
    add_kernel(body, NULL, until_set, handle, (const int *)asked, sum);
    cudaGraphExec_t exec = ready(graph);
    *flag = 0;
    CHECK(cudaGraphLaunch(exec, s));
    printf("a loop that asks: %s", state(s));
    if (by_host)
        *flag = 1;
    else
        set<<<1, 1, 0, t>>>(sum + 2, 1);
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemset(sum + 2, 0, sizeof *sum));
    printf(" %s %d\n", state(s), take_sum() > 0);
    finish(exec);
}

int main()
{
    CHECK(cudaHostAlloc(&flag, 64, cudaHostAllocMapped));
    CHECK(cudaMalloc(&sum, 4 * sizeof *sum));
    CHECK(cudaMemset(sum, 0, 4 * sizeof *sum));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    *flag = 1;
    when_set<<<1, 1, 0, s>>>(flag, sum, 0);
    add<<<1, 1, 0, s>>>(sum, 0);
    set<<<1, 1, 0, t>>>(flag, 0);
    CHECK(cudaDeviceSynchronize());
    in_an_if();
    in_a_while();
    in_a_switch();
    for_others();
    loops_that_ask(true);
    loops_that_ask(false);
    return 0;
}
