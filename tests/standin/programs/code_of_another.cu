// SPDX-License-Identifier: Apache-2.0
// nvcc: -gencode arch=compute_100,code=sm_100
// A kernel that only another GPU has code for: as NCCL's, whose attributes it asks for on every GPU. That there is none is told
// where the kernel is launched.
#include <cstdio>
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void add_one(int *x) { x[threadIdx.x]++; }

int main()
{
    cudaFuncAttributes attributes;
    FILE *told = tmpfile();
    const int kept = dup(2);
    if (!told || kept < 0 || cudaFree(0) != cudaSuccess)
        return 1;
    dup2(fileno(told), 2);
    const cudaError_t asked = cudaFuncGetAttributes(&attributes, add_one);
    fflush(stderr);
    dup2(kept, 2);
    printf("asked: %s, %ld bytes told\n", cudaGetErrorName(asked), (long)lseek(fileno(told), 0, SEEK_END));
    cudaGetLastError();
    add_one<<<1, 1>>>(nullptr);
    printf("launched: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
