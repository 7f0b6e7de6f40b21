// SPDX-License-Identifier: Apache-2.0
// A texture object that was destroyed stops the kernel: its number is looked up, never followed.
#include "check.h"

__global__ void fetch(cudaTextureObject_t t, float *to)
{
    to[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}

int main()
{
    float zeros[32] = {};
    float *memory = on_gpu(zeros, 32), *out = on_gpu(zeros, 32);
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {memory, cudaCreateChannelDesc<float>(), sizeof zeros};
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    CHECK(cudaDestroyTextureObject(t));
    fetch<<<1, 32>>>(t, out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
