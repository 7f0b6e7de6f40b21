# SPDX-License-Identifier: Apache-2.0
# The kernels of *.cubin here, and their launches. No test needs Triton: Triton 3.9 made the cubins without a GPU, for sm_90,
#     python3 kernels.py FOLDER
# writes FOLDER/NAME.cubin and FOLDER/NAME.launch. The cubins hold no PTX.
import os
import re
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

N = 4096


@triton.jit
def vector_sum(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + at, at < n, 0.0), 0))


@triton.jit
def row_max(x, out, where, columns, B: tl.constexpr):
    at = tl.arange(0, B)
    row = tl.load(x + tl.program_id(0) * columns + at, at < columns, -float("inf"))
    tl.store(out + tl.program_id(0), tl.max(row, 0))
    tl.store(where + tl.program_id(0), tl.argmax(row, 0))


@triton.jit
def prefix_sum(x, out, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def prefix_product(x, out, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, tl.cumprod(1.0 + 0.001 * tl.load(x + at), 0))


@triton.jit
def sort_rows(x, out, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, tl.sort(tl.load(x + at), 0))


@triton.jit
def histogram(x, out, n, B: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    counts = tl.histogram(tl.load(x + at) & (BINS - 1), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), counts)


@triton.jit
def softmax(x, out, columns, B: tl.constexpr):
    at = tl.arange(0, B)
    row = tl.load(x + tl.program_id(0) * columns + at, at < columns, -float("inf"))
    weight = tl.exp(row - tl.max(row, 0))
    tl.store(out + tl.program_id(0) * columns + at, weight / tl.sum(weight, 0), at < columns)


@triton.jit
def layer_norm(x, gain, bias, out, columns, epsilon, B: tl.constexpr):
    at = tl.arange(0, B)
    inside = at < columns
    row = tl.load(x + tl.program_id(0) * columns + at, inside, 0.0)
    mean = tl.sum(row, 0) / columns
    apart = tl.where(inside, row - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, 0) / columns + epsilon)
    result = apart * scale * tl.load(gain + at, inside) + tl.load(bias + at, inside)
    tl.store(out + tl.program_id(0) * columns + at, result, inside)


@triton.jit
def rms_norm(x, gain, out, columns, epsilon, B: tl.constexpr):
    at = tl.arange(0, B)
    row = tl.load(x + tl.program_id(0) * columns + at, at < columns, 0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(row * row, 0) / columns + epsilon)
    result = row * scale * tl.load(gain + at, at < columns, 0.0).to(tl.float32)
    tl.store(out + tl.program_id(0) * columns + at, result.to(tl.float16), at < columns)


@triton.jit
def gather(x, index, out, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, tl.load(x + tl.load(index + at)))


@triton.jit
def scatter_add(x, index, out, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out + tl.load(index + at), tl.load(x + at))


@triton.jit
def transpose(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.program_id(1) * C + tl.arange(0, C)
    tile = tl.load(x + r[:, None] * columns + c[None, :])
    tl.store(out + c[:, None] * rows + r[None, :], tl.trans(tile))


@triton.jit
def quantise(x, out, scale_out, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    value = tl.load(x + at)
    scale = tl.max(tl.abs(value), 0) / 127.0
    tl.store(out + at, (value / scale + tl.where(value >= 0, 0.5, -0.5)).to(tl.int8))
    tl.store(scale_out + tl.program_id(0), scale)


@triton.jit
def dequantise(x, scale, out, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, tl.load(x + at).to(tl.float32) * tl.load(scale + tl.program_id(0)))


@triton.jit
def to_half_and_back(x, out, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    value = tl.load(x + at)
    tl.store(out + at, value.to(tl.float16).to(tl.float32) + value.to(tl.bfloat16).to(tl.float32))


@triton.jit
def gelu(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    value = tl.load(x + at, at < n)
    inner = 0.7978845608 * (value + 0.044715 * value * value * value)
    tl.store(out + at, 0.5 * value * (2 - 2 / (tl.exp(2 * inner) + 1)), at < n)


@triton.jit
def column_sums(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    c = tl.program_id(0) * C + tl.arange(0, C)
    total = tl.zeros((C,), tl.float32)
    for first in range(0, rows, R):
        r = first + tl.arange(0, R)
        total += tl.sum(tl.load(x + r[:, None] * columns + c[None, :], r[:, None] < rows, 0.0), 0)
    tl.store(out + c, total)


@triton.jit
def variance(x, out, columns, B: tl.constexpr):
    at = tl.arange(0, B)
    row = tl.load(x + tl.program_id(0) * columns + at, at < columns, 0.0)
    mean = tl.sum(row, 0) / columns
    apart = tl.where(at < columns, row - mean, 0.0)
    tl.store(out + tl.program_id(0), tl.sum(apart * apart, 0) / columns)


@triton.jit
def embedding(table, index, out, width, B: tl.constexpr):
    at = tl.arange(0, B)
    row = tl.load(index + tl.program_id(0))
    tl.store(out + tl.program_id(0) * width + at, tl.load(table + row * width + at, at < width), at < width)


@triton.jit
def dropout(x, out, seed, keep, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    kept = tl.rand(seed, at) < keep
    tl.store(out + at, tl.where(kept, tl.load(x + at) / keep, 0.0))


@triton.jit
def cross_entropy(logits, target, out, columns, B: tl.constexpr):
    at = tl.arange(0, B)
    row = tl.load(logits + tl.program_id(0) * columns + at, at < columns, -float("inf"))
    top = tl.max(row, 0)
    total = tl.log(tl.sum(tl.exp(row - top), 0))
    wanted = tl.load(logits + tl.program_id(0) * columns + tl.load(target + tl.program_id(0)))
    tl.store(out + tl.program_id(0), total + top - wanted)


@triton.jit
def integer_divide(x, y, out, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + at)
    b = tl.load(y + at)
    tl.store(out + at, a // b + a % b)


@triton.jit
def reverse_scan(x, out, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0, reverse=True))


@triton.jit
def double_sum(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_max(out, tl.max(tl.load(x + at, at < n, 0), 0))


F = "f32x%d=random:%d"
# kernel, types, constants, warps, grid, arguments as inflight has them
launches = [
    (vector_sum, {"x": "*fp32", "out": "*fp32", "n": "i32"}, {"B": 512}, 4, "8", [F % (N, 1), "f32x8=zero", "i32:4000"]),
    (row_max, {"x": "*fp32", "out": "*fp32", "where": "*i32", "columns": "i32"}, {"B": 512}, 4, "9",
     [F % (9 * 500, 2), "f32x9=zero", "i32x9=zero", "i32:500"]),
    (prefix_sum, {"x": "*i32", "out": "*i32"}, {"B": 1024}, 4, "4", ["i32x4096=random:3:1000", "i32x4096=zero"]),
    (prefix_product, {"x": "*fp32", "out": "*fp32"}, {"B": 256}, 2, "16", [F % (N, 4), "f32x4096=zero"]),
    (sort_rows, {"x": "*fp32", "out": "*fp32"}, {"B": 256}, 4, "16", [F % (N, 5), "f32x4096=zero"]),
    (histogram, {"x": "*i32", "out": "*i32", "n": "i32"}, {"B": 1024, "BINS": 64}, 4, "4",
     ["i32x4096=random:6:100000", "i32x64=zero", "i32:4096"]),
    (softmax, {"x": "*fp32", "out": "*fp32", "columns": "i32"}, {"B": 1024}, 8, "4",
     [F % (4 * 1000, 7), "f32x4000=zero", "i32:1000"]),
    (layer_norm, {"x": "*fp32", "gain": "*fp32", "bias": "*fp32", "out": "*fp32", "columns": "i32", "epsilon": "fp32"},
     {"B": 1024}, 4, "4", [F % (4 * 1000, 8), F % (1000, 9), F % (1000, 10), "f32x4000=zero", "i32:1000", "f32:0.00001"]),
    (rms_norm, {"x": "*fp16", "gain": "*fp16", "out": "*fp16", "columns": "i32", "epsilon": "fp32"}, {"B": 512}, 4, "8",
     ["f16x4096=random:11", "f16x512=random:12", "f16x4096=zero", "i32:512", "f32:0.00001"]),
    (gather, {"x": "*fp32", "index": "*i32", "out": "*fp32"}, {"B": 256}, 4, "16",
     [F % (N, 13), "i32x4096=random:14:4096", "f32x4096=zero"]),
    (scatter_add, {"x": "*i32", "index": "*i32", "out": "*i32"}, {"B": 256}, 4, "16",
     ["i32x4096=random:15:50", "i32x4096=random:16:64", "i32x64=zero"]),
    (transpose, {"x": "*fp32", "out": "*fp32", "rows": "i32", "columns": "i32"}, {"R": 32, "C": 32}, 4, "2,2",
     [F % (N, 17), "f32x4096=zero", "i32:64", "i32:64"]),
    (quantise, {"x": "*fp32", "out": "*i8", "scale_out": "*fp32"}, {"B": 512}, 4, "8",
     [F % (N, 18), "i8x4096=zero", "f32x8=zero"]),
    (dequantise, {"x": "*i8", "scale": "*fp32", "out": "*fp32"}, {"B": 512}, 4, "8",
     ["i8x4096=random:19", F % (8, 20), "f32x4096=zero"]),
    (to_half_and_back, {"x": "*fp32", "out": "*fp32"}, {"B": 512}, 4, "8", [F % (N, 21), "f32x4096=zero"]),
    (gelu, {"x": "*fp32", "out": "*fp32", "n": "i32"}, {"B": 512}, 4, "8", [F % (N, 22), "f32x4096=zero", "i32:4000"]),
    (column_sums, {"x": "*fp32", "out": "*fp32", "rows": "i32", "columns": "i32"}, {"R": 16, "C": 64}, 4, "1",
     [F % (60 * 64, 23), "f32x64=zero", "i32:60", "i32:64"]),
    (variance, {"x": "*fp32", "out": "*fp32", "columns": "i32"}, {"B": 1024}, 4, "4",
     [F % (4 * 900, 24), "f32x4=zero", "i32:900"]),
    (embedding, {"table": "*fp16", "index": "*i32", "out": "*fp16", "width": "i32"}, {"B": 128}, 1, "32",
     ["f16x6400=random:25", "i32x32=random:26:64", "f16x3200=zero", "i32:100"]),
    (dropout, {"x": "*fp32", "out": "*fp32", "seed": "i32", "keep": "fp32"}, {"B": 512}, 4, "8",
     [F % (N, 27), "f32x4096=zero", "i32:77", "f32:0.75"]),
    (cross_entropy, {"logits": "*fp32", "target": "*i32", "out": "*fp32", "columns": "i32"}, {"B": 1024}, 4, "4",
     [F % (4 * 1000, 28), "i32x4=random:29:1000", "f32x4=zero", "i32:1000"]),
    (integer_divide, {"x": "*i32", "y": "*i32", "out": "*i32"}, {"B": 512}, 4, "8",
     ["i32x4096=random:30:100000", "i32x4096=random:31:999:1:1", "i32x4096=zero"]),
    (reverse_scan, {"x": "*fp32", "out": "*fp32"}, {"B": 512}, 4, "8", [F % (N, 32), "f32x4096=zero"]),
    (double_sum, {"x": "*i64", "out": "*i64", "n": "i32"}, {"B": 512}, 4, "8",
     ["i64x4096=random:33", "i64x1=zero", "i32:4096"]),
]


# A path is replaced by one that means nothing and is as long.
def without_paths(cubin):
    def shorter(match):
        text = match.group(0)
        name = b"triton"
        rest = len(text) - len(name)
        return name + b"/." * (rest // 2) + b"/" * (rest % 2)
    return re.sub(rb"/[ -~]*/(site-packages/triton|tests/triton)[ -~]*", shorter, cubin)


def write(folder, kernel, types, constants, warps, grid, arguments):
    signature = dict(types, **{name: "constexpr" for name in constants})
    source = ASTSource(kernel, signature, constants)
    made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps})
    name = kernel.__name__
    cubin = made.asm["cubin"]
    with open(os.path.join(folder, name + ".cubin"), "wb") as out:
        out.write(without_paths(cubin))
    count = len(re.findall(r"\.param ", made.asm["ptx"].split(")")[0]))
    with open(os.path.join(folder, name + ".launch"), "w") as out:
        print("# SPDX-License-Identifier: Apache-2.0", file=out)
        print(f"file = {name}.cubin\nkernel = {made.metadata.name}\ngrid = {grid}\nblock = {32 * warps}", file=out)
        if made.metadata.shared:
            print(f"shared = {made.metadata.shared}", file=out)
        for argument in arguments:
            print(f"arg = {argument}", file=out)
        for _ in range(count - len(arguments)):
            print("arg = u64:0", file=out)


if __name__ == "__main__":
    for launch in launches:
        write(sys.argv[1], *launch)
