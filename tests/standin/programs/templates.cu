// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

template <typename T> struct plus_one {
    __host__ __device__ T operator()(T x) const
    {
        return x + T(1);
    }
};

template <typename T, int UNROLL, typename F> __global__ void apply(T *x, int n, F f)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * UNROLL;
#pragma unroll
    for (int k = 0; k < UNROLL; k++)
        if (first + k < n)
            x[first + k] = f(x[first + k]);
}

template <typename T, int UNROLL, typename F> static int run(const char *what, F f)
{
    const int n = 1001;
    std::vector<T> x(n), wanted(n);
    for (int i = 0; i < n; i++) {
        x[i] = (T)(i % 50);
        wanted[i] = f(x[i]);
    }
    T *X = on_gpu(x.data(), n);
    apply<T, UNROLL><<<(n / UNROLL + 64) / 64, 64>>>(X, n, f);
    from_gpu(x.data(), X, n);
    return compare(what, x.data(), wanted.data(), n);
}

int main()
{
    return run<float, 1>("float", plus_one<float>()) |
           run<double, 4>("double", plus_one<double>()) |
           run<unsigned char, 8>("bytes", plus_one<unsigned char>()) |
           run<long long, 2>("long", plus_one<long long>());
}
