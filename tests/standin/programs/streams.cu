// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void scale(float *x, float by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}

static void CUDART_CB note(void *user)
{
    ++*(int *)user;
}

int main()
{
    const int parts = 4, n = 8192;
    float *host, *gpu;
    int notes = 0, bad = 0;
    cudaStream_t stream[parts];
    cudaEvent_t begin, end, done[parts];
    CHECK(cudaMallocHost(&host, parts * n * sizeof(float)));
    CHECK(cudaMalloc(&gpu, parts * n * sizeof(float)));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < parts * n; i++)
        host[i] = (float)i;
    CHECK(cudaEventRecord(begin));
    for (int p = 0; p < parts; p++) {
        CHECK(cudaStreamCreateWithFlags(&stream[p], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&done[p], cudaEventDisableTiming));
        CHECK(cudaMemcpyAsync(gpu + p * n, host + p * n, n * sizeof(float), cudaMemcpyHostToDevice,
                              stream[p]));
        scale<<<n / 256, 256, 0, stream[p]>>>(gpu + p * n, (float)(p + 1), n);
        CHECK(cudaMemcpyAsync(host + p * n, gpu + p * n, n * sizeof(float), cudaMemcpyDeviceToHost,
                              stream[p]));
        CHECK(cudaLaunchHostFunc(stream[p], note, &notes));
        CHECK(cudaEventRecord(done[p], stream[p]));
        CHECK(cudaStreamWaitEvent(0, done[p], 0));
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    float ms = -1, unused;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    printf("time: %s\n", ms >= 0 ? "not negative" : "negative");
    printf("without timing: %s\n", cudaGetErrorName(cudaEventElapsedTime(&unused, begin, done[0])));
    cudaGetLastError();
    printf("host functions: %d, stream: %s\n", notes, cudaGetErrorName(cudaStreamQuery(stream[2])));
    for (int i = 0; i < parts * n; i++)
        bad += host[i] != (float)i * (i / n + 1);
    printf("wrong: %d\n", bad);
    for (int p = 0; p < parts; p++) {
        CHECK(cudaStreamDestroy(stream[p]));
        CHECK(cudaEventDestroy(done[p]));
    }
    CHECK(cudaFreeHost(host));
    return bad != 0;
}
