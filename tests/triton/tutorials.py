# SPDX-License-Identifier: Apache-2.0
# The four kinds of kernel that Triton's tutorials show beside the plain ones: a product, attention, layer norm and a grouped
# product. No test needs Triton: Triton 3.9 made the cubins without a GPU, for sm_80, sm_90 and sm_100,
#     python3 tutorials.py FOLDER
# writes FOLDER/NAME.sm_NN.cubin and FOLDER/tutorials.txt, which says how each is launched. The cubins hold no PTX.
# tests/driver/triton_tutorials.c launches them.
import os
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kernels import without_paths


# The sum over k of a[m, k] b[k, n] for the tile whose first row and column are given; what lies outside counts as zero.
@triton.jit
def tile_of_product(a, b, row, column, rows, columns, depth, a_step, b_step, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = row + tl.arange(0, M)
    n = column + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for first in range(0, depth, K):
        k = first + tl.arange(0, K)
        left = tl.load(a + m[:, None] * a_step + k[None, :], (m < rows)[:, None] & (k < depth)[None, :], 0.0)
        right = tl.load(b + k[:, None] * b_step + n[None, :], (k < depth)[:, None] & (n < columns)[None, :], 0.0)
        total = tl.dot(left, right, total)
    return total


@triton.jit
def store_tile(c, total, row, column, rows, columns, step, M: tl.constexpr, N: tl.constexpr):
    m = row + tl.arange(0, M)
    n = column + tl.arange(0, N)
    tl.store(c + m[:, None] * step + n[None, :], total.to(tl.float16), (m < rows)[:, None] & (n < columns)[None, :])


# Tiles are taken down TALL rows of tiles before the next column of tiles, so that blocks that run together share operands.
@triton.jit
def half_product(a, b, c, rows, columns, depth, a_step, b_step, c_step,
                 M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TALL: tl.constexpr):
    down = tl.cdiv(rows, M)
    band = tl.program_id(0) // (TALL * tl.cdiv(columns, N))
    inside = tl.program_id(0) % (TALL * tl.cdiv(columns, N))
    height = tl.minimum(down - band * TALL, TALL)
    row = (band * TALL + inside % height) * M
    column = inside // height * N
    total = tile_of_product(a, b, row, column, rows, columns, depth, a_step, b_step, M, N, K)
    store_tile(c, total, row, column, rows, columns, c_step, M, N)


# Products of other sizes in one launch: sizes has rows, columns and depth of each, places the addresses of a, b and c. Block p
# takes the tiles p, p + blocks, ... of all of them.
@triton.jit
def grouped_product(places, sizes, count, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    tile = tl.program_id(0)
    before = 0
    for which in range(count):
        rows = tl.load(sizes + which * 3)
        columns = tl.multiple_of(tl.load(sizes + which * 3 + 1), 8)
        depth = tl.multiple_of(tl.load(sizes + which * 3 + 2), 8)
        a = tl.multiple_of(tl.load(places + which * 3).to(tl.pointer_type(tl.float16)), 16)
        b = tl.multiple_of(tl.load(places + which * 3 + 1).to(tl.pointer_type(tl.float16)), 16)
        c = tl.multiple_of(tl.load(places + which * 3 + 2).to(tl.pointer_type(tl.float16)), 16)
        across = tl.cdiv(columns, N)
        after = before + tl.cdiv(rows, M) * across
        while tile < after:
            row = (tile - before) // across * M
            column = (tile - before) % across * N
            total = tile_of_product(a, b, row, column, rows, columns, depth, depth, columns, M, N, K)
            store_tile(c, total, row, column, rows, columns, columns, M, N)
            tile += tl.num_programs(0)
        before = after


# softmax(q k' scale) v, each query with the keys up to its own, in one pass over the keys: what was summed is scaled when a greater
# score comes. scale holds the factor log2(e).
@triton.jit
def causal_attention(q, k, v, out, length, scale, Q: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr):
    head = tl.program_id(1) * length * WIDTH
    at = tl.program_id(0) * Q + tl.arange(0, Q)
    wide = tl.arange(0, WIDTH)
    query = tl.load(q + head + at[:, None] * WIDTH + wide[None, :], (at < length)[:, None], 0.0)
    top = tl.full((Q,), -float("inf"), tl.float32)
    weight = tl.zeros((Q,), tl.float32)
    total = tl.zeros((Q, WIDTH), tl.float32)
    for first in range(0, tl.minimum(length, (tl.program_id(0) + 1) * Q), KEYS):
        key_at = first + tl.arange(0, KEYS)
        there = (key_at < length)[:, None]
        key = tl.load(k + head + key_at[:, None] * WIDTH + wide[None, :], there, 0.0)
        value = tl.load(v + head + key_at[:, None] * WIDTH + wide[None, :], there, 0.0)
        score = tl.where(key_at[None, :] <= at[:, None], tl.dot(query, tl.trans(key)) * scale, -float("inf"))
        greater = tl.maximum(top, tl.max(score, 1))
        share = tl.exp2(score - greater[:, None])
        old = tl.exp2(top - greater)
        weight = weight * old + tl.sum(share, 1)
        total = tl.dot(share.to(tl.float16), value, total * old[:, None])
        top = greater
    tl.store(out + head + at[:, None] * WIDTH + wide[None, :], (total / weight[:, None]).to(tl.float16), (at < length)[:, None])


# Rows of any length, B columns at a time; mean and 1 / deviation of each row are kept, as a backward pass needs them.
@triton.jit
def half_layer_norm(x, gain, bias, out, means, scales, columns, epsilon, B: tl.constexpr):
    row = tl.program_id(0) * columns
    at = tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for first in range(0, columns, B):
        total += tl.load(x + row + first + at, first + at < columns, 0.0).to(tl.float32)
    mean = tl.sum(total, 0) / columns
    squares = tl.zeros((B,), tl.float32)
    for first in range(0, columns, B):
        apart = tl.load(x + row + first + at, first + at < columns, 0.0).to(tl.float32) - mean
        squares += tl.where(first + at < columns, apart * apart, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(squares, 0) / columns + epsilon)
    tl.store(means + tl.program_id(0), mean)
    tl.store(scales + tl.program_id(0), scale)
    for first in range(0, columns, B):
        inside = first + at < columns
        apart = (tl.load(x + row + first + at, inside, 0.0).to(tl.float32) - mean) * scale
        y = apart * tl.load(gain + first + at, inside, 0.0).to(tl.float32) + tl.load(bias + first + at, inside, 0.0).to(tl.float32)
        tl.store(out + row + first + at, y.to(tl.float16), inside)


HALVES, WORDS = "*fp16", "*fp32"
# kernel, types, constants, warps, the parameters whose values are multiples of 16
kernels = [
    (half_product, {"a": HALVES, "b": HALVES, "c": HALVES, "rows": "i32", "columns": "i32", "depth": "i32", "a_step": "i32",
                    "b_step": "i32", "c_step": "i32"}, {"M": 64, "N": 64, "K": 32, "TALL": 2}, 4,
     ["a", "b", "c", "columns", "depth", "a_step", "b_step", "c_step"]),
    (grouped_product, {"places": "*i64", "sizes": "*i32", "count": "i32"}, {"M": 64, "N": 32, "K": 32}, 4, []),
    (causal_attention, {"q": HALVES, "k": HALVES, "v": HALVES, "out": HALVES, "length": "i32", "scale": "fp32"},
     {"Q": 64, "KEYS": 32, "WIDTH": 64}, 4, ["q", "k", "v", "out"]),
    (half_layer_norm, {"x": HALVES, "gain": HALVES, "bias": HALVES, "out": HALVES, "means": WORDS, "scales": WORDS, "columns": "i32",
                       "epsilon": "fp32"}, {"B": 256}, 2, ["x", "gain", "bias", "out", "means", "scales"]),
]


def write(folder, lines, target, kernel, types, constants, warps, aligned):
    signature = dict(types, **{name: "constexpr" for name in constants})
    attributes = {(list(signature).index(name),): [["tt.divisibility", 16]] for name in aligned}
    made = triton.compile(ASTSource(kernel, signature, constants, attributes), target=GPUTarget("cuda", target, 32),
                          options={"num_warps": warps, "num_stages": 3})
    with open(os.path.join(folder, f"{kernel.__name__}.sm_{target}.cubin"), "wb") as out:
        out.write(without_paths(made.asm["cubin"]))
    lines.append(f"{kernel.__name__} {target} {32 * warps} {made.metadata.shared}")


if __name__ == "__main__":
    lines = ["# Launches of NAME.sm_NN.cubin, as Triton 3.9 states them: kernel, NN, threads of a block, bytes of shared memory."]
    for target in (80, 90, 100):
        for kernel in kernels:
            write(sys.argv[1], lines, target, *kernel)
    with open(os.path.join(sys.argv[1], "tutorials.txt"), "w") as out:
        print("\n".join(lines), file=out)
