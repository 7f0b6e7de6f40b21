# SPDX-License-Identifier: Apache-2.0
# CuPy's arrays and its own kernels, compiled by NVRTC for the GPU; each result is held against NumPy's.
import sys

import cupy as cp
import numpy as np

failed = []


def check(name, got, wanted, relative=1e-5, absolute=1e-6):
    got = cp.asnumpy(got)
    if got.shape == np.shape(wanted) and np.allclose(got, wanted, rtol=relative, atol=absolute):
        print("ok", name)
    else:
        failed.append(name)
        print("WRONG", name, got.ravel()[:4], np.ravel(wanted)[:4])


def softmax(of, x):
    e = of.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(of, x):
    return (x - x.mean(axis=1, keepdims=True)) / of.sqrt(x.var(axis=1, keepdims=True) + 1e-5)


def adam(of, weights, gradient, first, second):
    first[:] = 0.9 * first + 0.1 * gradient
    second[:] = 0.999 * second + 0.001 * gradient * gradient
    weights -= 0.01 * (first / 0.1) / (of.sqrt(second / 0.001) + 1e-8)
    return weights


def elementwise(x, y):
    a, b = cp.asarray(x), cp.asarray(y)
    check("elementwise", cp.tanh(a) * 2 + cp.log1p(b) - a ** 2, np.tanh(x) * 2 + np.log1p(y) - x ** 2)
    check("where", cp.where(a > b, a, -b), np.where(x > y, x, -y))
    check("half", (a.astype(cp.float16) * cp.float16(2)).astype(cp.float32),
          (x.astype(np.float16) * np.float16(2)).astype(np.float32))
    check("double", cp.sin(a.astype(cp.float64)), np.sin(x.astype(np.float64)), 1e-12)
    check("integers", (cp.arange(1000) * 7) // 3 % 11, (np.arange(1000) * 7) // 3 % 11)
    check("complex", cp.exp(1j * a.astype(cp.complex64)), np.exp(1j * x.astype(np.complex64)), 1e-4)
    saxpy = cp.ElementwiseKernel("T a, T x, T y", "T z", "z = a * x + y", "saxpy")
    check("ElementwiseKernel", saxpy(np.float32(3), a, b), 3 * x + y)


def reductions(x, rows):
    a, r = cp.asarray(x), cp.asarray(rows)
    check("sum", a.sum(), x.sum(dtype=np.float64), 1e-4)
    check("sum by rows", r.sum(axis=1), rows.sum(axis=1), 1e-4, 1e-4)
    check("sum by columns", r.sum(axis=0), rows.sum(axis=0), 1e-4, 1e-4)
    check("argmax", r.argmax(axis=1), rows.argmax(axis=1))
    check("cumsum", cp.cumsum(a), np.cumsum(x.astype(np.float64)), 1e-4)
    norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm_of")
    check("ReductionKernel", norm(a), np.sqrt((x.astype(np.float64) ** 2).sum()), 1e-4)


def order(x, values):
    a, v = cp.asarray(x), cp.asarray(values)
    check("sort", cp.sort(a), np.sort(x))
    check("argsort", cp.argsort(a), np.argsort(x, kind="stable"))
    check("unique", cp.unique(v), np.unique(values))
    check("bincount", cp.bincount(v), np.bincount(values))
    check("nonzero", cp.nonzero(v == 3)[0], np.nonzero(values == 3)[0])


def places(rows, values):
    r = cp.asarray(rows)
    picked = values % rows.shape[0]
    check("embedding", r[cp.asarray(picked)], rows[picked])
    check("take", cp.take(r, cp.asarray(picked % 7), axis=1), np.take(rows, picked % 7, axis=1))
    counts, wanted = cp.zeros(64, cp.float32), np.zeros(64, np.float32)
    cp.add.at(counts, cp.asarray(values), 1)
    np.add.at(wanted, values, 1)
    check("scatter", counts, wanted)
    check("slices", r[::2, 3:50:5].copy(), rows[::2, 3:50:5])
    check("transpose", cp.ascontiguousarray(r.T), rows.T)
    check("concatenate", cp.concatenate([r, r[:3]]), np.concatenate([rows, rows[:3]]))


def networks(rows, x):
    check("softmax", softmax(cp, cp.asarray(rows)), softmax(np, rows))
    check("layer norm", layer_norm(cp, cp.asarray(rows)), layer_norm(np, rows), 1e-4, 1e-5)
    states = [np.ones_like(x), x, np.zeros_like(x), np.zeros_like(x)]
    on_gpu = [cp.asarray(state) for state in states]
    check("optimizer step", adam(cp, *on_gpu), adam(np, *states), 1e-4)


OWN = r"""
extern "C" __global__ void reverse(const float *x, float *y, int n)
{
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n)
        y[i] = tile[blockDim.x - 1 - threadIdx.x];
}
"""


def own(x):
    n = x.size // 256 * 256
    a, out = cp.asarray(x[:n]), cp.zeros(n, cp.float32)
    cp.RawKernel(OWN, "reverse")((n // 256,), (256,), (a, out, np.int32(n)))
    check("RawKernel", out, x[:n].reshape(-1, 256)[:, ::-1].ravel())


def main():
    numbers = np.random.default_rng(1)
    x, y = (numbers.random(5000, dtype=np.float32) for _ in range(2))
    rows = numbers.standard_normal((24, 100), dtype=np.float32)
    values = numbers.integers(0, 64, 3000)
    elementwise(x, y)
    reductions(x, rows)
    order(x, values)
    places(rows, values)
    networks(rows, x)
    own(x)
    sys.exit(1 if failed else 0)


main()
