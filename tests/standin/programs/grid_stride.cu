// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__global__ void saxpy(float factor, const float *x, float *y, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        y[i] = fmaf(factor, x[i], y[i]);
}

int main()
{
    const size_t n = 100003;
    std::vector<float> x(n), y(n), wanted(n);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(i % 97) * 0.1f;
        y[i] = (float)(i % 31);
        wanted[i] = std::fmaf(2.5f, x[i], y[i]);
    }
    int sms, blocks;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, saxpy, 256, 0));
    printf("blocks an SM: %s\n", blocks >= 1 && blocks <= 32 ? "sensible" : "not sensible");
    float *X = on_gpu(x.data(), n), *Y = on_gpu(y.data(), n);
    saxpy<<<sms, 256>>>(2.5f, X, Y, n);
    from_gpu(y.data(), Y, n);
    return compare("saxpy", y.data(), wanted.data(), n);
}
