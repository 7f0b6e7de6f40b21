// SPDX-License-Identifier: Apache-2.0
// The kernels of bench_loops. loops.sm_90.cubin is made of this file by
//     nvcc -arch=sm_90 -cubin -o loops.sm_90.cubin loops.cu        (CUDA 13.0)
enum { TILE = 32, ROWS = 8, BLOCK = 256 };

extern "C" __global__ void saxpy(unsigned n, float a, const float *x, float *y)
{
    const unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void gather(unsigned n, const unsigned *index, const float *x, float *y)
{
    const unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        y[i] = x[index[i]];
}

// Of width x width elements, in blocks of TILE x ROWS threads.
extern "C" __global__ void transpose(unsigned width, const float *x, float *y)
{
    __shared__ float tile[TILE][TILE + 1];
    const unsigned column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (unsigned k = 0; k < TILE; k += ROWS)
        tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * width + column];
    __syncthreads();
    const unsigned to = blockIdx.y * TILE + threadIdx.x, of = blockIdx.x * TILE + threadIdx.y;
    for (unsigned k = 0; k < TILE; k += ROWS)
        y[(of + k) * width + to] = tile[threadIdx.x][threadIdx.y + k];
}

// The mean of the four neighbours, but for the border; blocks of TILE x ROWS threads.
extern "C" __global__ void stencil(unsigned width, const float *x, float *y)
{
    const unsigned column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * ROWS + threadIdx.y;
    if (column == 0 || row == 0 || column == width - 1 || row == width - 1)
        return;
    const float *at = x + row * width + column;
    y[row * width + column] = ((at[-1] + at[1]) + (at[-(int)width] + at[width])) * 0.25f;
}

// The sum of each block's elements.
extern "C" __global__ void reduction(const float *x, float *sums)
{
    __shared__ float part[BLOCK];
    const unsigned t = threadIdx.x;
    part[t] = x[t + blockIdx.x * BLOCK];
    __syncthreads();
    for (unsigned half = BLOCK / 2; half; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = part[0];
}
