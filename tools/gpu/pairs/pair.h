// SPDX-License-Identifier: Apache-2.0
// Times two launches with events, each alone and 16 in a row: median of 20 after 3 to warm up; prints nanoseconds a launch.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t e)
{
    if (e != cudaSuccess) {
        printf("error: %s\n", cudaGetErrorString(e));
        exit(1);
    }
}

template <class F> static double median_ns(F launch, int in_a_row)
{
    enum { TIMES = 20 };
    float ms[TIMES];
    cudaEvent_t a, b;
    check(cudaEventCreate(&a));
    check(cudaEventCreate(&b));
    for (int i = 0; i < 3; i++)
        launch();
    for (int i = 0; i < TIMES; i++) {
        check(cudaEventRecord(a));
        for (int k = 0; k < in_a_row; k++)
            launch();
        check(cudaEventRecord(b));
        check(cudaEventSynchronize(b));
        check(cudaEventElapsedTime(&ms[i], a, b));
    }
    check(cudaGetLastError());
    std::sort(ms, ms + TIMES);
    return 0.5e6 * (ms[TIMES / 2 - 1] + ms[TIMES / 2]) / in_a_row;
}

template <class T> static T *room(size_t count)
{
    T *p;
    check(cudaMalloc(&p, count * sizeof *p));
    check(cudaMemset(p, 0, count * sizeof *p));
    return p;
}

template <class S, class F> static void pair(const char *name, S slow, F fast)
{
    static const int rows[] = {1, 16};
    printf("%-18s", name);
    for (int in_a_row : rows) {
        const double before = median_ns(slow, in_a_row), after = median_ns(fast, in_a_row);
        printf("  %2d in a row: before %10.0f ns  after %10.0f ns  gain %.2f", in_a_row, before,
               after, before / after);
    }
    printf("\n");
}
