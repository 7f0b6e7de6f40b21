// SPDX-License-Identifier: Apache-2.0
// Calls that a stream being captured does not allow: they fail, and so do all others of the capture until it ends without a
// graph. CUDA C++ Programming Guide, "Prohibited and Unhandled Operations" and "Invalidation".
#include "check.h"

__global__ void add(int *to, int value)
{
    *to += value;
}

static const char *name(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

static cudaStream_t s;
static int *sum;

static void spoil(const char *what, cudaError_t (*call)(cudaStream_t))
{
    cudaGraph_t graph;
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    add<<<1, 1, 0, s>>>(sum, 1);
    printf("%s: %s,", what, name(call(s)));
    printf(" %s", name(cudaMemsetAsync(sum, 0, sizeof *sum, s)));
    CHECK(cudaStreamIsCapturing(s, &status));
    printf(" %d", status == cudaStreamCaptureStatusInvalidated);
    printf(" %s", name(cudaStreamEndCapture(s, &graph)));
    CHECK(cudaStreamIsCapturing(s, &status));
    printf(" %d %d\n", graph == NULL, status == cudaStreamCaptureStatusNone);
}

int main()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int got;
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    spoil("waiting", cudaStreamSynchronize);
    spoil("asking", cudaStreamQuery);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    add<<<1, 1, 0, s>>>(sum, 5);
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    printf("%d\n", got);
    return 0;
}
