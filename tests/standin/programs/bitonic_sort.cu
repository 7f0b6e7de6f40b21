// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <algorithm>
#include <vector>

__global__ void exchange(int *x, int stride, int size)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ stride;
    if (other <= i)
        return;
    const int a = x[i], b = x[other];
    if ((a > b) == !(i & size)) {
        x[i] = b;
        x[other] = a;
    }
}

int main()
{
    const int n = 1 << 11;
    std::vector<int> x(n), wanted;
    for (int i = 0; i < n; i++)
        x[i] = (int)(i * 2654435761u);
    wanted = x;
    std::sort(wanted.begin(), wanted.end());
    int *X = on_gpu(x.data(), n);
    for (int size = 2; size <= n; size *= 2)
        for (int stride = size / 2; stride; stride /= 2)
            exchange<<<n / 256, 256>>>(X, stride, size);
    from_gpu(x.data(), X, n);
    return compare("sorted", x.data(), wanted.data(), n);
}
