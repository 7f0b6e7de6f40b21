// SPDX-License-Identifier: Apache-2.0
// A kernel that waits for what the graphs do that it launches: they run beside it. CUDA C++ Programming Guide, "Device Graph
// Launch", fire and forget.
#include "check.h"

__global__ void answer(volatile int *question, volatile int *reply)
{
    *reply = *question * 2;
}

__global__ void ask(const cudaGraphExec_t *answers, volatile int *question, volatile int *reply, int *got)
{
    for (int i = 0; i < 3; i++) {
        *question = i + 1;
        *reply = 0;
        __threadfence();
        if (cudaGraphLaunch(answers[i], cudaStreamGraphFireAndForget) != cudaSuccess)
            return;
        while (*reply == 0)
            ;
        got[i] = *reply;
    }
}

int main()
{
    int *words, got[3];
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t answers[3], asks;
    CHECK(cudaMalloc(&words, 5 * sizeof(int)));
    CHECK(cudaMemset(words, 0, 5 * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    for (cudaGraphExec_t &exec : answers) {
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        answer<<<1, 1, 0, stream>>>(words, words + 1);
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
        CHECK(cudaGraphUpload(exec, stream));
    }
    cudaGraphExec_t *const on_device = on_gpu(answers, 3);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    ask<<<1, 1, 0, stream>>>(on_device, words, words + 1, words + 2);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&asks, graph, 0));
    CHECK(cudaGraphLaunch(asks, stream));
    CHECK(cudaStreamSynchronize(stream));
    from_gpu(got, words + 2, 3);
    printf("answers: %d %d %d\n", got[0], got[1], got[2]);
}
