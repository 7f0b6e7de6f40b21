// SPDX-License-Identifier: Apache-2.0
// nvcc: -std=c++17
// Host functions beside the calls of another thread: it holds a lock that they wait for, and gives their stream what follows
// them. CUDA Runtime API, cudaLaunchHostFunc.
#include "check.h"
#include <atomic>
#include <mutex>
#include <thread>

__global__ void add(int *to, const int *from)
{
    *to += *from;
}

static std::mutex lock;
static std::atomic<bool> is_locked, is_inside, is_given;
static int *value, *sum; // of the host; of the GPU
static cudaStream_t s, t;

static void host(void *)
{
    is_inside = true;
    while (!is_given)
        std::this_thread::yield();
    const std::lock_guard<std::mutex> held(lock);
    *value += 5;
}

static void callback(cudaStream_t stream, cudaError_t code, void *)
{
    if (stream != s || code != cudaSuccess)
        printf("called with another stream or %s\n", cudaGetErrorName(code));
    host(NULL);
}

static void other_thread()
{
    const std::lock_guard<std::mutex> held(lock);
    is_locked = true;
    while (!is_inside)
        std::this_thread::yield();
    CHECK(cudaMemsetAsync(sum + 1, 0, sizeof *sum, t));
    CHECK(cudaStreamSynchronize(t));
    add<<<1, 1, 0, s>>>(sum, value);
    printf("%s %s, ", cudaGetErrorName(cudaStreamQuery(s)), cudaGetErrorName(cudaStreamQuery(t)));
    is_given = true;
}

template <typename F> static void beside(const char *what, F launch)
{
    int got;
    is_locked = is_inside = is_given = false;
    printf("%s: ", what);
    std::thread other(other_thread);
    while (!is_locked)
        std::this_thread::yield();
    launch();
    other.join();
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    printf("%d\n", got);
}

int main()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaHostAlloc(&value, sizeof *value, cudaHostAllocMapped));
    CHECK(cudaMalloc(&sum, 2 * sizeof *sum));
    CHECK(cudaMemset(sum, 0, 2 * sizeof *sum));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    *value = 0;
    add<<<1, 1, 0, s>>>(sum, value);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaLaunchHostFunc(s, host, NULL));
    add<<<1, 1, 0, s>>>(sum, value);
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaDeviceSynchronize());
    beside("a host function", [] { CHECK(cudaLaunchHostFunc(s, host, NULL)); });
    beside("a callback", [] { CHECK(cudaStreamAddCallback(s, callback, NULL, 0)); });
    beside("a node", [exec] { CHECK(cudaGraphLaunch(exec, s)); });
    return 0;
}
