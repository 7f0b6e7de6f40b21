// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 50000;
    std::vector<float> a(n), b(n), c(n), sum(n);
    for (int i = 0; i < n; i++) {
        a[i] = i * 0.5f;
        b[i] = 3.0f - i;
        sum[i] = a[i] + b[i];
    }
    float *A = on_gpu(a.data(), n), *B = on_gpu(b.data(), n), *C = on_gpu(c.data(), n);
    add<<<(n + 255) / 256, 256>>>(A, B, C, n);
    CHECK(cudaGetLastError());
    from_gpu(c.data(), C, n);
    CHECK(cudaFree(A));
    CHECK(cudaFree(B));
    CHECK(cudaFree(C));
    return compare("vector_add", c.data(), sum.data(), n);
}
