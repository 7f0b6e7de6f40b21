// SPDX-License-Identifier: Apache-2.0
// What the programs share: a call that must succeed, and a line that says whether results are right.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t code_ = (call);                                                          \
        if (code_ != cudaSuccess) {                                                                \
            printf("%s: %s\n", #call, cudaGetErrorName(code_));                                    \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

template <typename T> T *on_gpu(const T *from, size_t count)
{
    T *to;
    CHECK(cudaMalloc(&to, count * sizeof(T)));
    CHECK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

template <typename T> void from_gpu(T *to, const T *from, size_t count)
{
    CHECK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

// Prints how many elements differ from the reference by more than `tolerance` of it.
template <typename T>
int compare(const char *what, const T *got, const T *wanted, size_t count, double tolerance = 0)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const double apart = std::fabs((double)got[i] - (double)wanted[i]);
        wrong += !(apart <= tolerance * (1 + std::fabs((double)wanted[i])));
    }
    printf("%s: %zu of %zu wrong\n", what, wrong, count);
    return wrong != 0;
}
