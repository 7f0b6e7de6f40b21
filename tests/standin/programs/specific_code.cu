// SPDX-License-Identifier: Apache-2.0
// nvcc: -gencode arch=compute_90,code=sm_90 -gencode arch=compute_90a,code=sm_90a
// Code for sm_90a counts where code for sm_90 stands before it: kernels of CUTLASS abort in the latter (SGLang's).
#include "check.h"

__global__ void tell()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    printf("code for sm_90a\n");
#else
    printf("code for sm_90\n");
#endif
}

int main()
{
    tell<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    return 0;
}
