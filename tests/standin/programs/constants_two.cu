// SPDX-License-Identifier: Apache-2.0
// Several __constant__ variables: machine code has them all in one bank.
#include "check.h"

__constant__ int first[3] = {1, 2, 3};
__constant__ float second = 2.5f;
__constant__ int third[5];

__global__ void take(float *to)
{
    const int i = threadIdx.x;
    to[i] = first[i % 3] * second + third[i % 5];
}

int main()
{
    float *to, got[30];
    const int values[5] = {10, 20, 30, 40, 50}, two[2] = {7, 8};
    const float half = 0.5f;
    size_t bytes;
    int wrong = 0;
    CHECK(cudaMalloc(&to, sizeof got));
    CHECK(cudaMemcpyToSymbol(third, values, sizeof values));
    CHECK(cudaMemcpyToSymbol(second, &half, sizeof half));
    CHECK(cudaMemcpyToSymbol(first, two, sizeof two, sizeof(int)));
    take<<<1, 30>>>(to);
    CHECK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    const int now[3] = {1, 7, 8};
    for (int i = 0; i < 30; i++)
        wrong += got[i] != now[i % 3] * 0.5f + values[i % 5];
    printf("wrong: %d\n", wrong);
    CHECK(cudaGetSymbolSize(&bytes, third));
    printf("third: %zu bytes\n", bytes);
    printf("past the end: %s\n", cudaGetErrorName(cudaMemcpyToSymbol(second, values, 8)));
    return 0;
}
