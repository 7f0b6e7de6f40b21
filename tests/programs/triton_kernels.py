# SPDX-License-Identifier: Apache-2.0
# The kernels of triton_*.ptx. No test needs Triton; Triton 3.9 wrote them without a GPU, from this file in /triton:
#     python3 /triton/triton_kernels.py tests/programs
# and the launches were put on top by hand.
import os
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, out, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


@triton.jit
def softmax(x, out, columns, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    row = tl.load(x + tl.program_id(0) * columns + at, at < columns, -float("inf"))
    weight = tl.exp(row - tl.max(row, 0))
    tl.store(out + tl.program_id(0) * columns + at, weight / tl.sum(weight, 0), at < columns)


@triton.jit
def sum_columns(x, out, rows, columns, ROWS: tl.constexpr, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    sums = tl.zeros((ROWS, SIZE), tl.float32)
    for first in range(0, rows, ROWS):
        row = first + tl.arange(0, ROWS)
        inside = (row[:, None] < rows) & (at[None, :] < columns)
        sums += tl.load(x + row[:, None] * columns + at[None, :], inside, 0).to(tl.float32)
    tl.store(out + at, tl.sum(sums, 0), at < columns)


@triton.jit
def scan(x, out, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def locked_sum(x, total, count, lock, SIZE: tl.constexpr):
    part = tl.sum(tl.load(x + tl.program_id(0) * SIZE + tl.arange(0, SIZE)), 0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + part)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
    tl.atomic_add(count, 1)


@triton.jit
def printing(x, SIZE: tl.constexpr):
    value = tl.load(x + tl.arange(0, SIZE))
    tl.device_print("value", value)
    tl.device_assert(value < 100, "below a hundred")


kernels = [
    (add, ["*fp32", "*fp32", "*fp32", "i32"], {"SIZE": 128}, {}),
    (softmax, ["*fp16", "*fp32", "i32"], {"SIZE": 64}, {}),
    (sum_columns, ["*fp16", "*fp32", "i32", "i32"], {"ROWS": 8, "SIZE": 32}, {}),
    (scan, ["*i32", "*i32"], {"SIZE": 256}, {}),
    (locked_sum, ["*i32", "*i32", "*i32", "*i32"], {"SIZE": 64}, {}),
    (printing, ["*i32"], {"SIZE": 32}, {"num_warps": 1, "debug": True}),
]
for kernel, types, constants, options in kernels:
    signature = dict(zip(kernel.arg_names, types)) | {name: "constexpr" for name in constants}
    aligned = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(types) if name[0] == "*"}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=aligned)
    made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options | {"ptx_version": 90})
    with open(f"{sys.argv[1]}/triton_{kernel.__name__}.ptx", "w") as file:
        file.write(made.asm["ptx"].replace(os.path.dirname(triton.__file__), "/triton"))
    print(kernel.__name__, made.metadata.shared, "bytes of dynamic shared memory")
