// SPDX-License-Identifier: Apache-2.0
// nvcc: -std=c++17 -default-stream per-thread
// Stream 0 of each thread is its own: threads whose kernels wait for each other's, captures in it, and what the legacy stream
// does beside it. CUDA Runtime API, "Stream synchronization behavior".
#include "check.h"
#include <thread>
#include <vector>

enum { THREADS = 6, COUNT = 500 };

__global__ void work(int *p, int id)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT)
        p[i] = p[i] * 3 + id;
}

__global__ void wait_for(volatile int *flag, int value)
{
    while (*flag < value)
        ;
}

__global__ void set(volatile int *flag, int value)
{
    *flag = value;
}

static int *flag, *mine[THREADS];
static int wrong[THREADS];
static unsigned long long ids[THREADS];

// The last thread is the first that gets on. Nothing here allocates, frees or launches a kernel for the first time: a GPU may wait
// for all kernels then.
static void serve(int id)
{
    int *p = mine[id], expected = 0;
    std::vector<int> got(COUNT);
    CHECK(cudaMemset(p, 0, COUNT * sizeof *p));
    wait_for<<<1, 1>>>(flag, THREADS - 1 - id);
    for (int round = 0; round < 5; round++) {
        work<<<2, 256>>>(p, id);
        expected = expected * 3 + id;
    }
    set<<<1, 1>>>(flag, THREADS - id);
    CHECK(cudaMemcpyAsync(got.data(), p, COUNT * sizeof *p, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(0));
    for (int value : got)
        wrong[id] += value != expected;
    CHECK(cudaStreamGetId(0, &ids[id]));
}

static void in_threads()
{
    std::vector<std::thread> threads;
    int same = 0, all = 0;
    for (int *&p : mine)
        CHECK(cudaMalloc(&p, COUNT * sizeof *p));
    wait_for<<<1, 1>>>(flag, 0);
    work<<<2, 256>>>(mine[0], 0);
    set<<<1, 1>>>(flag, 0);
    CHECK(cudaDeviceSynchronize());
    for (int id = 0; id < THREADS; id++)
        threads.emplace_back(serve, id);
    for (std::thread &thread : threads)
        thread.join();
    for (int a = 0; a < THREADS; a++) {
        all += wrong[a];
        for (int b = 0; b < a; b++)
            same += ids[a] == ids[b];
    }
    printf("%d wrong, %d streams are the same\n", all, same);
}

static void captured()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t count;
    int *p, got;
    CHECK(cudaMalloc(&p, COUNT * sizeof *p));
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemsetAsync(p, 0, COUNT * sizeof *p));
    work<<<2, 256>>>(p, 7);
    CHECK(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    CHECK(cudaGraphGetNodes(graph, NULL, &count));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaMemcpy(&got, p + COUNT - 1, sizeof got, cudaMemcpyDeviceToHost));
    printf("%zu nodes, %d; of the legacy stream: %s\n", count, got,
           cudaGetErrorName(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeThreadLocal)));
    CHECK(cudaFree(p));
}

// A stream that blocks does not wait for the thread's own; the legacy one waits for both.
static void beside_others()
{
    cudaStream_t other;
    volatile int *word;
    CHECK(cudaHostAlloc((void **)&word, sizeof *word, cudaHostAllocMapped));
    *word = 0;
    CHECK(cudaStreamCreate(&other));
    wait_for<<<1, 1>>>(word, 1);
    set<<<1, 1, 0, other>>>(flag, 9);
    CHECK(cudaStreamSynchronize(other));
    set<<<1, 1, 0, cudaStreamLegacy>>>(flag, 10);
    printf("%s %s\n", cudaGetErrorName(cudaStreamQuery(0)), cudaGetErrorName(cudaStreamQuery(cudaStreamLegacy)));
    *word = 1;
    CHECK(cudaStreamSynchronize(cudaStreamLegacy));
    printf("%s\n", cudaGetErrorName(cudaStreamQuery(0)));
}

int main()
{
    CHECK(cudaMalloc(&flag, sizeof *flag));
    CHECK(cudaMemset(flag, 0, sizeof *flag));
    in_threads();
    captured();
    beside_others();
    return 0;
}
