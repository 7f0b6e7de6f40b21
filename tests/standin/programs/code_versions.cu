// SPDX-License-Identifier: Apache-2.0
// nvcc: -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=sm_90
// The PTX beside machine code is older than the one that the machine code was made of. CUB chooses how many elements a block
// takes by ptxVersion, in kernels by __CUDA_ARCH__, which is the latter's.
#include "check.h"

__global__ void architecture(int *x)
{
#ifdef __CUDA_ARCH__
    *x = __CUDA_ARCH__;
#endif
}

int main()
{
    cudaFuncAttributes what;
    int *x, found;
    CHECK(cudaMalloc(&x, 4));
    architecture<<<1, 1>>>(x);
    CHECK(cudaMemcpy(&found, x, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFuncGetAttributes(&what, architecture));
    printf("__CUDA_ARCH__ %d, PTX %d, binary %d\n", found, what.ptxVersion, what.binaryVersion);
    return 0;
}
