// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__global__ void one_thread_a_row(const int *start, const int *column, const double *value,
                                 const double *x, double *y, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int i = row < rows ? start[row] : 0, end = row < rows ? start[row + 1] : 0; i < end; i++)
        sum += value[i] * x[column[i]];
    if (row < rows)
        y[row] = sum;
}

__global__ void one_warp_a_row(const int *start, const int *column, const double *value,
                               const double *x, double *y, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    double sum = 0;
    if (row >= rows)
        return;
    for (int i = start[row] + lane; i < start[row + 1]; i += 32)
        sum += value[i] * __ldg(&x[column[i]]);
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

int main()
{
    const int rows = 1500;
    std::vector<int> start(1), column;
    std::vector<double> value, x(rows), y(rows), wanted(rows);
    for (int r = 0; r < rows; r++) {
        x[r] = r % 17;
        for (int k = 0; k < 1 + r % 40; k++) {
            column.push_back((r * 31 + k * 97) % rows);
            value.push_back(1 + k % 3);
        }
        start.push_back((int)column.size());
    }
    for (int r = 0; r < rows; r++)
        for (int i = start[r]; i < start[r + 1]; i++)
            wanted[r] += value[i] * x[column[i]];
    int *S = on_gpu(start.data(), start.size()), *C = on_gpu(column.data(), column.size());
    double *V = on_gpu(value.data(), value.size()), *X = on_gpu(x.data(), rows),
           *Y = on_gpu(y.data(), rows);
    one_thread_a_row<<<(rows + 127) / 128, 128>>>(S, C, V, X, Y, rows);
    from_gpu(y.data(), Y, rows);
    int bad = compare("thread a row", y.data(), wanted.data(), rows, 1e-12);
    CHECK(cudaMemset(Y, 0, rows * sizeof(double)));
    one_warp_a_row<<<(rows + 3) / 4, 128>>>(S, C, V, X, Y, rows);
    from_gpu(y.data(), Y, rows);
    return bad | compare("warp a row", y.data(), wanted.data(), rows, 1e-12);
}
