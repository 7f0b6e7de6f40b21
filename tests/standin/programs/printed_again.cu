// SPDX-License-Identifier: Apache-2.0
// A kernel that prints does so at each launch, also when nothing that it reads has changed; and so does one that allocates.
#include "check.h"

__global__ void print(void)
{
    printf("printed\n");
}

__global__ void allocate(void **kept)
{
    void *more = malloc(16);
    *(void **)more = *kept; // a list
    *kept = more;
}

__global__ void count(void **kept, int *length)
{
    *length = 0;
    for (void *at = *kept; at; at = *(void **)at)
        ++*length;
}

int main()
{
    void **kept;
    int *length, got;
    CHECK(cudaMalloc(&kept, sizeof *kept));
    CHECK(cudaMalloc(&length, sizeof *length));
    CHECK(cudaMemset(kept, 0, sizeof *kept));
    for (int i = 0; i < 5; i++)
        print<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 5; i++)
        allocate<<<1, 1>>>(kept);
    count<<<1, 1>>>(kept, length);
    CHECK(cudaMemcpy(&got, length, sizeof got, cudaMemcpyDeviceToHost));
    printf("%d allocated\n", got);
}
