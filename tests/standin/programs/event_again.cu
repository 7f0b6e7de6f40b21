// SPDX-License-Identifier: Apache-2.0
// An event that is recorded anew before the stream has come to its record before: the new record alone counts, but for what
// waits for the other already. CUDA Runtime API, cudaEventRecord, cudaStreamWaitEvent.
#include "check.h"

__global__ void when_set(volatile int *flag, int *to)
{
    while (*flag == 0)
        ;
    *to = 7;
}

__global__ void twice(int *at)
{
    *at *= 2;
}

static const char *state(cudaStream_t stream)
{
    return cudaGetErrorName(cudaStreamQuery(stream));
}

int main()
{
    int *flag, *value, got;
    cudaStream_t waits, first, second, third;
    cudaEvent_t event, begin;
    float ms;
    CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    CHECK(cudaMalloc(&value, 2 * sizeof *value));
    CHECK(cudaMemset(value, 0, 2 * sizeof *value));
    for (cudaStream_t *stream : {&waits, &first, &second, &third})
        CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventCreate(&begin));
    *flag = 1;
    when_set<<<1, 1, 0, waits>>>(flag, value);
    twice<<<1, 1, 0, first>>>(value + 1);
    CHECK(cudaDeviceSynchronize());
    *flag = 0;
    CHECK(cudaEventRecord(begin, second));
    when_set<<<1, 1, 0, waits>>>(flag, value);
    CHECK(cudaEventRecord(event, waits));
    CHECK(cudaStreamWaitEvent(first, event, 0));
    twice<<<1, 1, 0, first>>>(value);
    twice<<<1, 1, 0, second>>>(value + 1);
    CHECK(cudaEventRecord(event, second));
    CHECK(cudaStreamWaitEvent(third, event, 0));
    twice<<<1, 1, 0, third>>>(value + 1);
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaStreamSynchronize(third));
    printf("%s %s", cudaGetErrorName(cudaEventQuery(event)), state(waits));
    printf(" %s %s %s", state(first), state(second), state(third));
    CHECK(cudaEventElapsedTime(&ms, begin, event));
    *flag = 1;
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaMemcpy(&got, value, sizeof got, cudaMemcpyDeviceToHost));
    float later;
    CHECK(cudaEventElapsedTime(&later, begin, event));
    printf(" %d %d\n", got, later == ms);
    return 0;
}
