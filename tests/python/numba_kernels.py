# SPDX-License-Identifier: Apache-2.0
# Numba's kernels, compiled for the GPU when they are first called; each result is held against NumPy's.
import math
import sys

import numpy as np
from numba import config, cuda, float32

config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
config.CUDA_WARN_ON_IMPLICIT_COPY = 0
TILE, PADDED = 32, 33
failed = []


def check(name, got, wanted, relative=1e-5, absolute=1e-6):
    if np.allclose(got, wanted, rtol=relative, atol=absolute):
        print("ok", name)
    else:
        failed.append(name)
        print("WRONG", name, got.ravel()[:4], wanted.ravel()[:4])


@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = a * x[i] + y[i]


@cuda.jit
def block_sums(x, sums):
    tile = cuda.shared.array(256, float32)
    thread = cuda.threadIdx.x
    total = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    tile[thread] = total
    cuda.syncthreads()
    half = 128
    while half:
        if thread < half:
            tile[thread] += tile[thread + half]
        cuda.syncthreads()
        half //= 2
    if thread == 0:
        cuda.atomic.add(sums, 0, tile[0])


@cuda.jit
def histogram(values, bins):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)


@cuda.jit
def softmax(x, out):
    row = cuda.blockIdx.x
    lane = cuda.threadIdx.x
    most = float32(-math.inf)
    for column in range(lane, x.shape[1], 32):
        most = max(most, x[row, column])
    for step in (16, 8, 4, 2, 1):
        most = max(most, cuda.shfl_xor_sync(0xFFFFFFFF, most, step))
    total = float32(0)
    for column in range(lane, x.shape[1], 32):
        total += math.exp(x[row, column] - most)
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, step)
    for column in range(lane, x.shape[1], 32):
        out[row, column] = math.exp(x[row, column] - most) / total


@cuda.jit
def transpose(x, out):
    tile = cuda.shared.array((TILE, PADDED), float32)
    row, column = cuda.blockIdx.y * TILE + cuda.threadIdx.y, cuda.blockIdx.x * TILE + cuda.threadIdx.x
    if row < x.shape[0] and column < x.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = x[row, column]
    cuda.syncthreads()
    row, column = cuda.blockIdx.x * TILE + cuda.threadIdx.y, cuda.blockIdx.y * TILE + cuda.threadIdx.x
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


@cuda.jit
def julia(counts, c_real, c_imaginary):
    x, y = cuda.grid(2)
    if x < counts.shape[1] and y < counts.shape[0]:
        real, imaginary = 3.0 * x / counts.shape[1] - 1.5, 3.0 * y / counts.shape[0] - 1.5
        count = 0
        while count < 50 and real * real + imaginary * imaginary < 4.0:
            real, imaginary = real * real - imaginary * imaginary + c_real, 2.0 * real * imaginary + c_imaginary
            count += 1
        counts[y, x] = count


def julia_of_numpy(height, width, c):
    z = (3.0 * np.arange(width) / width - 1.5)[None, :] + 1j * (3.0 * np.arange(height) / height - 1.5)[:, None]
    counts = np.zeros((height, width), np.int32)
    going = np.ones((height, width), bool)
    for _ in range(50):
        going &= z.real * z.real + z.imag * z.imag < 4.0
        counts[going] += 1
        z = np.where(going, z * z + c, z)
    return counts


def main():
    numbers = np.random.default_rng(1)
    x, y = (numbers.random(10000, dtype=np.float32) for _ in range(2))
    out = np.zeros_like(x)
    saxpy[40, 256](np.float32(2), x, y, out)
    check("saxpy", out, 2 * x + y)

    sums = np.zeros(1, np.float32)
    block_sums[8, 256](x, sums)
    check("reduction", sums, x.sum(dtype=np.float64), 1e-4)

    values = numbers.integers(0, 64, 10000).astype(np.int32)
    bins = np.zeros(64, np.int32)
    histogram[40, 256](values, bins)
    check("histogram", bins, np.bincount(values, minlength=64))

    rows = numbers.standard_normal((16, 200), dtype=np.float32)
    out = np.zeros_like(rows)
    softmax[16, 32](rows, out)
    e = np.exp(rows.astype(np.float64) - rows.max(1, keepdims=True))
    check("softmax", out, e / e.sum(1, keepdims=True))

    matrix = numbers.random((70, 90), dtype=np.float32)
    out = np.zeros((90, 70), np.float32)
    transpose[(3, 3), (TILE, TILE)](matrix, out)
    check("transpose", out, matrix.T)

    counts = np.zeros((40, 60), np.int32)
    julia[(4, 5), (16, 8)](counts, -0.8, 0.156)
    # Points at the rim may differ by the rounding of fused products.
    check("julia", np.mean(counts != julia_of_numpy(40, 60, -0.8 + 0.156j)) < 0.01, True)

    device = cuda.to_device(x)
    sum_of = cuda.reduce(lambda a, b: a + b)
    check("cuda.reduce", sum_of(device), x.sum(dtype=np.float64), 1e-4)
    sys.exit(1 if failed else 0)


main()
