// SPDX-License-Identifier: Apache-2.0
// Graphs that kernels launch: fire and forget, as a tail, as a sibling, and again and again by itself. What must come before
// what follows from CUDA's rules of order. CUDA C++ Programming Guide, "Device Graph Launch".
#include "check.h"

enum { MOST = 4 };

struct plan {
    int count;
    cudaGraphExec_t exec[MOST];
    cudaStream_t how[MOST];
    cudaError_t code[MOST];
};

__global__ void note(int *log, int value, plan *then)
{
    log[1 + atomicAdd(log, 1)] = value;
    __threadfence();
    for (int i = 0; then && i < then->count; i++)
        then->code[i] = cudaGraphLaunch(then->exec[i], then->how[i]);
}

// What the stream is given behind a graph comes behind all that the graph launches.
__global__ void follow(int *log, int *seen)
{
    *seen = log[0];
}

__global__ void count_down(int *left, int *rounds)
{
    ++*rounds;
    if (--*left > 0)
        cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

__global__ void tell_current(cudaGraphExec_t *to)
{
    *to = cudaGetCurrentGraphExec();
}

static int *log_;
static cudaStream_t stream;

struct part {
    cudaGraphExec_t exec;
    plan *then;
};

static part make(int value, unsigned long long flags)
{
    part made;
    cudaGraph_t graph;
    CHECK(cudaMalloc(&made.then, sizeof(plan)));
    CHECK(cudaMemset(made.then, 0, sizeof(plan)));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    note<<<1, 1, 0, stream>>>(log_, value, made.then);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&made.exec, graph, flags));
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        CHECK(cudaGraphUpload(made.exec, stream));
    CHECK(cudaGraphDestroy(graph));
    return made;
}

static void launches(part by, cudaGraphExec_t exec, cudaStream_t how)
{
    plan now;
    CHECK(cudaMemcpy(&now, by.then, sizeof now, cudaMemcpyDeviceToHost));
    now.exec[now.count] = exec;
    now.how[now.count++] = how;
    CHECK(cudaMemcpy(by.then, &now, sizeof now, cudaMemcpyHostToDevice));
}

static void run(const char *what, part first)
{
    int said[32] = {0};
    plan now;
    CHECK(cudaMemset(log_, 0, sizeof said));
    CHECK(cudaGraphLaunch(first.exec, stream));
    follow<<<1, 1, 0, stream>>>(log_, log_ + 31);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(said, log_, sizeof said, cudaMemcpyDeviceToHost));
    if (said[31] != said[0])
        printf("what follows came behind %d of %d\n", said[31], said[0]);
    CHECK(cudaMemcpy(&now, first.then, sizeof now, cudaMemcpyDeviceToHost));
    printf("%s:", what);
    for (int i = 0; i < said[0]; i++)
        printf(" %d", said[1 + i]);
    for (int i = 0; i < now.count; i++)
        if (now.code[i] != cudaSuccess)
            printf(" (launch %d: %s)", i, cudaGetErrorName(now.code[i]));
    printf("\n");
}

#define TAIL cudaStreamGraphTailLaunch
#define FORGET cudaStreamGraphFireAndForget
#define SIBLING cudaStreamGraphFireAndForgetAsSibling
enum { ON_DEVICE = cudaGraphInstantiateFlagDeviceLaunch };

static void orders()
{
    part first = make(1, 0), second = make(2, ON_DEVICE), third = make(3, ON_DEVICE), fourth = make(4, ON_DEVICE);
    launches(first, second.exec, TAIL);
    launches(first, third.exec, TAIL);
    run("tails", first);
    launches(second, fourth.exec, TAIL);
    run("a tail's tail", first);

    first = make(1, 0), second = make(2, ON_DEVICE), third = make(3, ON_DEVICE), fourth = make(4, ON_DEVICE);
    launches(first, third.exec, TAIL);
    launches(first, second.exec, FORGET);
    run("a child and a tail", first);
    launches(second, fourth.exec, FORGET);
    run("a child's child and a tail", first);

    first = make(1, 0), second = make(2, ON_DEVICE), third = make(3, ON_DEVICE), fourth = make(4, ON_DEVICE);
    launches(first, third.exec, TAIL);
    launches(first, second.exec, FORGET);
    launches(second, fourth.exec, TAIL);
    run("a child's tail and a tail", first);

    first = make(1, 0), second = make(2, ON_DEVICE), third = make(3, ON_DEVICE), fourth = make(4, ON_DEVICE);
    launches(first, third.exec, TAIL);
    launches(first, second.exec, FORGET);
    launches(second, fourth.exec, SIBLING);
    run("a sibling and a tail", first);

    first = make(1, ON_DEVICE), second = make(2, ON_DEVICE);
    launches(first, second.exec, FORGET);
    run("a device graph from the host", first);
}

static void loop()
{
    int counts[2] = {100, 0};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *on_device = on_gpu(counts, 2);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    count_down<<<1, 1, 0, stream>>>(on_device, on_device + 1);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, ON_DEVICE));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    from_gpu(counts, on_device, 2);
    printf("by itself: %d rounds, %d left\n", counts[1], counts[0]);
}

static void current()
{
    cudaGraphExec_t exec[2], *told, got;
    cudaGraph_t graph;
    CHECK(cudaMalloc(&told, sizeof *told));
    CHECK(cudaMemset(told, 0xff, sizeof *told));
    tell_current<<<1, 1, 0, stream>>>(told);
    CHECK(cudaStreamSynchronize(stream));
    from_gpu(&got, told, 1);
    printf("outside of graphs: %s\n", got ? "some" : "none");
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    tell_current<<<1, 1, 0, stream>>>(told);
    CHECK(cudaStreamEndCapture(stream, &graph));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaGraphInstantiate(&exec[i], graph, i ? ON_DEVICE : 0));
        CHECK(cudaGraphLaunch(exec[i], stream));
        CHECK(cudaStreamSynchronize(stream));
        from_gpu(&got, told, 1);
        printf("in a %s graph: %s\n", i ? "device" : "host", got == exec[i] ? "itself" : got ? "another" : "none");
    }
}

// Nodes of other kinds in a graph that a kernel launches.
static void copies()
{
    part first = make(1, 0);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *words, got[4];
    CHECK(cudaMalloc(&words, sizeof got));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(words, 0, sizeof got, stream));
    CHECK(cudaMemcpyAsync(words + 1, log_ + 1, sizeof(int), cudaMemcpyDeviceToDevice, stream));
    note<<<1, 1, 0, stream>>>(words + 2, 7, NULL);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, ON_DEVICE));
    CHECK(cudaGraphUpload(exec, stream));
    launches(first, exec, TAIL);
    run("with copies", first);
    from_gpu(got, words, 4);
    printf("words: %d %d %d %d\n", got[0], got[1], got[2], got[3]);
}

int main()
{
    CHECK(cudaMalloc(&log_, 32 * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    orders();
    loop();
    current();
    copies();
}
