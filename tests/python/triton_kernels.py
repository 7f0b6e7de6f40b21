# SPDX-License-Identifier: Apache-2.0
# Triton's kernels, compiled for the GPU when they are first called; each result is held against PyTorch's on the CPU.
import sys

import torch
import triton
import triton.language as tl

failed = []


def check(name, got, wanted, relative=1e-5, absolute=1e-5):
    if torch.allclose(got.cpu(), wanted, rtol=relative, atol=absolute):
        print("ok", name)
    else:
        failed.append(name)
        print("WRONG", name, got.flatten()[:4], wanted.flatten()[:4])


@triton.jit
def saxpy(a, x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, a * tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


@triton.jit
def sum_all(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + at, at < n, 0.0)))


@triton.jit
def histogram(values, bins, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(values + at, at < n, 0), BINS)
    first = BLOCK - tl.sum((at < n).to(tl.int32))
    bin = tl.arange(0, BINS)
    tl.atomic_add(bins + bin, counts - tl.where(bin == 0, first, 0))


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, at < columns, -float("inf"))
    e = tl.exp(values - tl.max(values))
    tl.store(out + row * columns + at, e / tl.sum(e), at < columns)


@triton.jit
def layer_norm(x, weight, bias, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, at < columns, 0.0)
    mean = tl.sum(values) / columns
    apart = tl.where(at < columns, values - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart) / columns + 1e-5)
    normal = apart * scale * tl.load(weight + at, at < columns) + tl.load(bias + at, at < columns)
    tl.store(out + row * columns + at, normal, at < columns)


@triton.jit
def transpose(x, out, rows, columns, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    tile = tl.load(x + row[:, None] * columns + column[None, :], inside)
    tl.store(out + column[:, None] * rows + row[None, :], tl.trans(tile), tl.trans(inside))


@triton.jit
def scan(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def sort(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.sort(tl.load(x + at)))


def on_lines():
    x, y = torch.rand(5000), torch.rand(5000)
    a, b, out = x.cuda(), y.cuda(), torch.empty(5000, device="cuda")
    saxpy[(5,)](2.0, a, b, out, 5000, BLOCK=1024)
    check("saxpy", out, 2 * x + y)
    total = torch.zeros(1, device="cuda")
    sum_all[(5,)](a, total, 5000, BLOCK=1024)
    check("reduction", total, x.sum(), 1e-4)
    values = torch.randint(0, 32, (3000,), dtype=torch.int32)
    bins = torch.zeros(32, dtype=torch.int32, device="cuda")
    histogram[(3,)](values.cuda(), bins, 3000, BINS=32, BLOCK=1024)
    check("histogram", bins, torch.bincount(values, minlength=32).int())
    sums = torch.empty(512, device="cuda")
    scan[(1,)](a, sums, BLOCK=512)
    check("scan", sums, torch.cumsum(x[:512], 0), 1e-4)
    sort[(1,)](a, sums, BLOCK=512)
    check("sort", sums, x[:512].sort().values)


def on_rows():
    rows = torch.randn(20, 300)
    x, out = rows.cuda(), torch.empty(20, 300, device="cuda")
    softmax[(20,)](x, out, 300, BLOCK=512)
    check("softmax", out, torch.softmax(rows, 1))
    weight, bias = torch.rand(300), torch.rand(300)
    layer_norm[(20,)](x, weight.cuda(), bias.cuda(), out, 300, BLOCK=512)
    check("layer norm", out, torch.nn.functional.layer_norm(rows, (300,), weight, bias), 1e-4, 1e-4)
    turned = torch.empty(300, 20, device="cuda")
    transpose[(1, 10)](x, turned, 20, 300, TILE=32)
    check("transpose", turned, rows.T)


torch.manual_seed(1)
on_lines()
on_rows()
sys.exit(1 if failed else 0)
