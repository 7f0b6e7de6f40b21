// SPDX-License-Identifier: Apache-2.0
// A stream of doubles. After: floats.
#include "pair.h"
template <class T> static __device__ void axpy(T a, const T *x, T *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
extern "C" __global__ void axpy_double(double a, const double *x, double *y, int n)
{
    axpy(a, x, y, n);
}
extern "C" __global__ void axpy_float(float a, const float *x, float *y, int n)
{
    axpy(a, x, y, n);
}
int main()
{
    const int n = 1 << 25;
    double *x = room<double>(n), *y = room<double>(n);
    pair(
        "double_words", [=] { axpy_double<<<n / 256, 256>>>(2, x, y, n); },
        [=] { axpy_float<<<n / 256, 256>>>(2, (float *)x, (float *)y, n); });
}
