# SPDX-License-Identifier: Apache-2.0
# Products of matrices by Triton, of each type, with descriptions of tensors and in attention; held against doubles of the CPU.
import math

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

failed = []


def check(name, got, wanted, absolute):
    apart = (got.cpu().double() - wanted.double()).abs().max().item()
    print("ok" if apart <= absolute else "WRONG", name, apart)
    if not apart <= absolute:
        failed.append(name)


@triton.jit
def product(A, B, C, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr, SUM: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(A + m[:, None] * K + k[None, :])
    b = tl.load(B + k[:, None] * N + n[None, :])
    tl.store(C + m[:, None] * N + n[None, :], tl.dot(a, b, input_precision=PRECISION, out_dtype=SUM))


@triton.jit
def by_descriptions(a, b, c, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    sums = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, STEP)):
        sums = tl.dot(a.load([row, k * STEP]), b.load([column, k * STEP]).T, sums)
    c.store([row, column], sums)


@triton.jit
def attention(Q, K, V, O, scale, head, COUNT, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr):
    first, base = tl.program_id(0) * M, tl.program_id(1) * head
    rows, d = first + tl.arange(0, M), tl.arange(0, D)
    q = tl.load(Q + base + rows[:, None] * D + d[None, :])
    most = tl.zeros([M], tl.float32) - float("inf")
    total = tl.zeros([M], tl.float32)
    sums = tl.zeros([M, D], tl.float32)
    for start in tl.range(0, first + M if CAUSAL else COUNT, N):
        at = start + tl.arange(0, N)
        s = tl.dot(q, tl.load(K + base + at[None, :] * D + d[:, None])) * scale
        if CAUSAL:
            s = tl.where(rows[:, None] >= at[None, :], s, -1e6)
        higher = tl.maximum(most, tl.max(s, 1))
        p, shrink = tl.exp(s - higher[:, None]), tl.exp(most - higher)
        v = tl.load(V + base + at[:, None] * D + d[None, :])
        sums = tl.dot(p.to(v.dtype), v, sums * shrink[:, None])
        total, most = total * shrink + tl.sum(p, 1), higher
    tl.store(O + base + rows[:, None] * D + d[None, :], (sums / total[:, None]).to(O.dtype.element_ty))


TYPES = [("f16", torch.float16, None, tl.float32, 1e-3), ("bf16", torch.bfloat16, None, tl.float32, 1e-3),
         ("tf32", torch.float32, "tf32", tl.float32, 0.1), ("f32", torch.float32, "ieee", tl.float32, 1e-3),
         ("e5m2", torch.float8_e5m2, None, tl.float32, 0.5), ("e4m3", torch.float8_e4m3fn, None, tl.float32, 0.5),
         ("s8", torch.int8, None, tl.int32, 0), ("f64", torch.float64, None, tl.float64, 1e-10)]


def products(M, N, K, warps):
    for name, dtype, precision, sums, absolute in TYPES:
        whole = dtype == torch.int8
        a, b = ((torch.randint(-128, 128, s) if whole else torch.randn(s, dtype=torch.float64)).to(dtype) for s in ((M, K), (K, N)))
        c = torch.empty(M, N, device="cuda", dtype=torch.int32 if whole else dtype if dtype == torch.float64 else torch.float32)
        product[(1,)](a.cuda(), b.cuda(), c, M, N, K, precision, sums, num_warps=warps)
        check(f"{name} {M}x{N}x{K}", c, a.double() @ b.double(), absolute)


torch.manual_seed(0)
products(16, 16, 32, 4)
products(64, 64, 64, 4)
a, b = torch.randn(256, 192).half(), torch.randn(128, 192).half()
c = torch.empty(256, 128, device="cuda")
ga, gb = a.cuda(), b.cuda()
by_descriptions[(2, 1)](TensorDescriptor.from_tensor(ga, [128, 64]), TensorDescriptor.from_tensor(gb, [128, 64]),
                        TensorDescriptor.from_tensor(c, [128, 128]), 192, 128, 128, 64)
check("descriptions", c, a.double() @ b.double().T, 1e-2)
for causal in (False, True):
    q, k, v = (torch.randn(2, 128, 64).half() for _ in range(3))
    o = torch.empty(2, 128, 64, device="cuda", dtype=torch.float16)
    attention[(2, 2)](q.cuda(), k.cuda(), v.cuda(), o, 1 / math.sqrt(64), 128 * 64, 128, 64, 64, 32, causal)
    s = q.double() @ k.double().transpose(1, 2) / math.sqrt(64)
    if causal:
        s.masked_fill_(~torch.tril(torch.ones(128, 128, dtype=torch.bool)), -float("inf"))
    check(f"attention, causal {causal}", o, torch.softmax(s, -1) @ v.double(), 5e-3)
raise SystemExit(1 if failed else 0)
