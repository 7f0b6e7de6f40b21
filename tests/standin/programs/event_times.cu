// SPDX-License-Identifier: Apache-2.0
// Times of events: in order, and of a launch always the same. check_times.sh holds them against `inflight analyze`.
#include "check.h"

__global__ void scale(float *x, float by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}

static float between(cudaEvent_t a, cudaEvent_t b)
{
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, a, b));
    return ms;
}

int main(int count, char **)
{
    const int n = 1 << 20;
    float *x;
    cudaEvent_t at[5];
    for (int i = 0; i < 5; i++)
        CHECK(cudaEventCreate(&at[i]));
    CHECK(cudaMalloc(&x, n * sizeof *x));
    CHECK(cudaEventRecord(at[0]));
    CHECK(cudaMemset(x, 0, n * sizeof *x));
    CHECK(cudaEventRecord(at[1]));
    for (int i = 1; i < 4; i++) {
        const int blocks = i < 3 ? n / 256 : n / 512;
        scale<<<blocks, 256>>>(x, 2, n);
        CHECK(cudaEventRecord(at[i + 1]));
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 1; i < 5; i++)
        if (!(between(at[i - 1], at[i]) > 0))
            printf("no time between %d and %d\n", i - 1, i);
    const float sum = between(at[0], at[2]) + between(at[2], at[4]), all = between(at[0], at[4]);
    printf("sum: %s\n", sum < all * 1.001f && sum > all * 0.999f ? "as the whole" : "not the whole");
    if (count > 1) // on a GPU two launches differ
        printf("%.3f %.3f %.3f us\n", between(at[1], at[2]) * 1e3, between(at[2], at[3]) * 1e3,
               between(at[3], at[4]) * 1e3);
    return 0;
}
