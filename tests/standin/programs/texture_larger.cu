// SPDX-License-Identifier: Apache-2.0
// A texture object of linear memory that is said to be larger than it is: CUDA takes it, and only a read behind the end is a fault.
#include "check.h"

__global__ void fetch(cudaTextureObject_t t, float *to, int first)
{
    to[threadIdx.x] = tex1Dfetch<float>(t, first + threadIdx.x);
}

int main()
{
    float numbers[32];
    for (int i = 0; i < 32; i++)
        numbers[i] = float(i);
    float *memory = on_gpu(numbers, 32), *out = on_gpu(numbers, 32);
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {memory, cudaCreateChannelDesc<float>(), 2 * sizeof numbers};
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    fetch<<<1, 16>>>(t, out, 16);
    CHECK(cudaMemcpy(numbers, out, sizeof numbers, cudaMemcpyDeviceToHost));
    printf("%g %g\n", numbers[0], numbers[15]);
    fetch<<<1, 17>>>(t, out, 16);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
