#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operations of PyTorch, torch.compile, CuPy, Numba and Liger-Kernel, each once, with a hash of what it gives.

    python_programs.py GROUP [OPERATION...]      norms, losses, rest (of Liger-Kernel), eager, compiled, cupy, numba
    ncu --csv --page raw --cache-control all --metrics gpu__time_duration.sum,... python_programs.py GROUP
    inflight run --gpu h100 --each --json FILE -- python_programs.py GROUP

The hashes of both are the same, but for sums in an order of chance (cumsum, index_add). tests/gpu/h100/python_programs.csv has the
first launch of each kernel, grid and block on an H100, and the times that inflight predicted before (docs/suites.md)."""
import hashlib
import math
import sys

import torch
import torch.nn.functional as F

group = sys.argv[1]
torch.manual_seed(1)
d = "cuda"
made = []  # the operation's inputs, whose gradients are hashed too


def ramp(*s, t=torch.bfloat16, g=True):
    x = torch.linspace(-2, 2, math.prod(s), device=d).view(*s).to(t)
    made.append(x)
    return x.requires_grad_(g)


def digest(data):
    return hashlib.sha1(data).hexdigest()[:10]


def sha(o):
    if isinstance(o, torch.Tensor):
        o = o.detach().contiguous().cpu()
        return digest(o.view(torch.uint8 if o.dim() else o.dtype).numpy().tobytes())
    if isinstance(o, (tuple, list)):
        return ",".join(sha(x) for x in o)
    return digest(o.get().tobytes()) if hasattr(o, "get") else "-"


def both(y):
    for o in (y if isinstance(y, tuple) else (y,)):
        if isinstance(o, torch.Tensor) and o.requires_grad and o.dtype.is_floating_point:
            o.sum().backward(retain_graph=True) if o.dim() == 0 else o.backward(torch.ones_like(o), retain_graph=True)


def liger_norms():
    from liger_kernel import ops as L
    N, H = 2048, 2048
    return {
     "rms": lambda: both(L.LigerRMSNormFunction.apply(ramp(N, H), ramp(H), 1e-6, 0.0, "llama", False)),
     "layer": lambda: both(L.LigerLayerNormFunction.apply(ramp(N, H), ramp(H), ramp(H), 1e-6)),
     "add_rms": lambda: both(L.LigerFusedAddRMSNormFunction.apply(ramp(N, H), ramp(N, H), ramp(H), 1e-6, 0.0, "llama", False)),
     "group": lambda: both(L.LigerGroupNormFunction.apply(ramp(8, 64, 4096, t=torch.float32), ramp(64, t=torch.float32), ramp(64, t=torch.float32), 64, 16, 1e-6)),
     "poly": lambda: both(L.LigerPolyNormFunction.apply(ramp(N, 1024), ramp(3), ramp(1), 1e-6, False)),
     "dyt": lambda: both(L.LigerDyTFunction.apply(ramp(N, H), ramp(1), ramp(H), ramp(H))),
     "modrms": lambda: both(L.LigerModulatedRMSNormFunction.apply(ramp(2, 1024, H), ramp(H), ramp(2, H), ramp(2, H), 1e-6, 0.0, "llama", False)),
    }


def liger_losses():
    from liger_kernel import ops as L
    N, V = 512, 32000
    t = lambda: torch.randint(0, V, (N,), device=d)
    return {
     "ce": lambda: both(L.LigerCrossEntropyFunction.apply(ramp(N, V), t(), None)),
     "ce_smooth": lambda: both(L.LigerCrossEntropyFunction.apply(ramp(N, V), t(), None, -100, 1e-4, 0.1, "mean", 30.0)),
     "kl": lambda: both(L.LigerKLDivLossFunction.apply(ramp(256, 4096, t=torch.float32), ramp(256, 4096, t=torch.float32, g=False).abs() + .1)),
     "jsd": lambda: both(L.LigerJSDFunction.apply(ramp(256, 8192, t=torch.float32), ramp(256, 8192, t=torch.float32, g=False))),
     "tvd": lambda: both(L.LigerTVDLossFunction.apply(ramp(256, 8192, t=torch.float32), ramp(256, 8192, t=torch.float32, g=False))),
     "softmax": lambda: both(L.LigerSoftmaxFunction.apply(ramp(1024, 4096))),
     "sparsemax": lambda: both(L.LigerSparsemaxFunction.apply(ramp(128, 1024, t=torch.float32), -1)),
    }


def liger_rest():
    from liger_kernel import ops as L
    q = lambda h: ramp(2, h, 512, 64)
    return {
     "rope": lambda: both(L.LigerRopeFunction.apply(q(16), q(8), ramp(1, 512, 64, g=False), ramp(1, 512, 64, g=False))),
     "mrope": lambda: both(L.LigerQwen2VLMRopeFunction.apply(q(16), q(8), ramp(3, 2, 512, 64, g=False), ramp(3, 2, 512, 64, g=False), [16, 24, 24])),
     "swiglu": lambda: both(L.LigerSiLUMulFunction.apply(ramp(1024, 4096), ramp(1024, 4096))),
     "geglu": lambda: both(L.LigerGELUMulFunction.apply(ramp(1024, 4096), ramp(1024, 4096))),
     "embedding": lambda: both(L.LigerEmbeddingFunction.apply(ramp(8192, 1024), torch.randint(0, 8192, (2048,), device=d))),
     "attnres": lambda: both(L.LigerAttnResFunction.apply(ramp(4, 1024, 1024), ramp(1024), ramp(1024), 1e-6)),
     "mta": lambda: both(L.LigerMultiTokenAttentionFunction.apply(ramp(1, 4, 256, 256, t=torch.float32), ramp(4, 4, 3, 3, t=torch.float32), None, 1, 1)),
     "na": lambda: both(L.LigerFusedNeighborhoodAttentionFunction.apply(ramp(1, 4, 256, 64), ramp(1, 4, 256, 64), ramp(1, 4, 256, 64), 7, 1)),
    }


def eager():
    f = lambda *s: ramp(*s, t=torch.float32, g=False)
    x = f(2048, 2048); i = torch.randint(0, 2048, (65536,), device=d); u = torch.rand(1 << 20, device=d)
    return {
     "gelu": lambda: F.gelu(x), "addcmul": lambda: torch.addcmul(x, x, x), "where": lambda: torch.where(x > 0, x, -x),
     "t": lambda: x.t().contiguous(), "perm": lambda: x.view(16, 128, 2048).permute(2, 0, 1).contiguous(),
     "cat": lambda: torch.cat([x, x], 1), "flip": lambda: x.flip(1), "roll": lambda: x.roll(7, 1),
     "sum0": lambda: x.sum(0), "sum1": lambda: x.sum(1), "sum": lambda: x.sum(), "amax": lambda: x.amax(1), "var": lambda: x.var(0),
     "argmax": lambda: x.argmax(1), "cumsum": lambda: x.cumsum(1), "cumsum0": lambda: x.cumsum(0), "norm": lambda: x.norm(dim=1),
     "softmax": lambda: x.softmax(1), "softmax0": lambda: x.softmax(0), "logsoft": lambda: x.log_softmax(1), "ln": lambda: F.layer_norm(x, (2048,)),
     "bn": lambda: F.batch_norm(f(16, 32, 64, 64), None, None, training=True), "gn": lambda: F.group_norm(f(16, 32, 64, 64), 8),
     "index": lambda: x[i % 2048], "gather": lambda: x.gather(1, (i[:32768].view(2048, 16))), "scatter": lambda: torch.zeros_like(x).scatter_add_(0, i.view(-1, 2048)[:32], x[:32]),
     "index_add": lambda: torch.zeros(2048, 256, device=d).index_add_(0, i[:8192], f(8192, 256)), "emb": lambda: F.embedding(i, f(2048, 128)),
     "sort": lambda: u.sort(), "topk": lambda: x.topk(8, 1), "unique": lambda: i.unique(), "hist": lambda: torch.histc(u, 100), "bincount": lambda: i.bincount(),
     "nonzero": lambda: (u > .5).nonzero(), "masked": lambda: u[u > .7], "tril": lambda: x.tril(),
     "pool": lambda: F.max_pool2d(f(8, 32, 128, 128), 3, 2), "avg": lambda: F.avg_pool2d(f(8, 32, 128, 128), 2), "up": lambda: F.interpolate(f(8, 16, 64, 64), scale_factor=2, mode="bilinear"),
     "drop": lambda: F.dropout(x, .1), "ce": lambda: F.cross_entropy(f(1024, 8192), i[:1024]), "dw": lambda: F.conv2d(f(4, 64, 64, 64), f(64, 1, 3, 3), padding=1, groups=64),
     "half": lambda: x.half().float(), "i8": lambda: (x * 20).to(torch.int8), "pad": lambda: F.pad(x, (3, 5)), "mse": lambda: F.mse_loss(x, x + 1),
     "adam": adam, "prod": lambda: x.prod(1), "median": lambda: x[:256].median(1), "search": lambda: torch.searchsorted(u[:4096].sort()[0], u),
     "complex": lambda: torch.view_as_complex(x.view(2048, 1024, 2)).abs(), "grid": lambda: F.grid_sample(f(4, 8, 128, 128), torch.rand(4, 128, 128, 2, device=d) * 2 - 1),
     "cdist": lambda: torch.cdist(f(1024, 16), f(1024, 16), p=1.0), "unfold": lambda: F.unfold(f(4, 8, 64, 64), 3), "bitand": lambda: i & 7,
     "lerp": lambda: torch.lerp(x, x + 1, .3), "pow": lambda: x.abs() ** 2.5, "atan2": lambda: torch.atan2(x, x + 1), "erfinv": lambda: torch.erfinv(x / 3),
    }


def adam():
    p = [ramp(512, 512, t=torch.float32) for _ in range(4)]
    for q in p: q.grad = torch.ones_like(q)
    torch.optim.AdamW(p).step()


def compiled():
    x = ramp(1024, 2048, t=torch.float32, g=False)
    fs = {
     "gelu_ln": lambda x: F.layer_norm(F.gelu(x + 1), (2048,)), "softmax_mask": lambda x: torch.where(x > 0, x, -1e9).softmax(1),
     "rms": lambda x: x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-6), "mix": lambda x: (x.sin() + x.cos().t().contiguous().t()) * x.sigmoid(),
     "logsumexp": lambda x: torch.logsumexp(x, 0), "var": lambda x: x.var(1) + x.amax(1), "quant": lambda x: (x / x.abs().amax(1, keepdim=True) * 127).round().to(torch.int8),
     "cumsum": lambda x: (x * 2).cumsum(1), "gather": lambda x: x[x[:, 0].abs().long()], "total": lambda x: (x * x).sum(),
    }
    c = {n: torch.compile(f) for n, f in fs.items()}
    return {n: (lambda f=f: f(x)) for n, f in c.items()}


def cupy():
    import cupy as cp
    x = cp.linspace(0, 1, 1 << 22, dtype=cp.float32).reshape(2048, 2048); k = cp.arange(1 << 20, dtype=cp.int32) * 7919 % 65536
    e = cp.ElementwiseKernel("float32 a, float32 b", "float32 c", "c = a * b + sqrtf(a)", "ours")
    return {"ew": lambda: e(x, x), "sum": lambda: x.sum(), "sum0": lambda: x.sum(0), "sum1": lambda: x.sum(1), "argmax": lambda: x.argmax(0), "t": lambda: cp.ascontiguousarray(x.T),
     "hist": lambda: cp.histogram(k, 64), "take": lambda: x.ravel()[k], "cumsum": lambda: cp.cumsum(x.ravel()), "sort": lambda: cp.sort(k), "where": lambda: cp.where(x > .5, x, 0),
     "roll": lambda: cp.roll(x, 3, 0), "bincount": lambda: cp.bincount(k), "mean": lambda: x.mean(1), "std": lambda: x.std(0), "unique": lambda: cp.unique(k), "clip": lambda: cp.clip(x, .2, .8)}


def numba_():
    import numpy as np
    np.row_stack = np.vstack
    from numba import cuda
    @cuda.jit
    def stencil(a, b):
        i, j = cuda.grid(2)
        if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
            b[i, j] = .25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    @cuda.jit
    def stencil_x(a, b):
        j, i = cuda.grid(2)
        if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
            b[i, j] = .25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    @cuda.jit
    def hist(a, h):
        i = cuda.grid(1)
        if i < a.size: cuda.atomic.add(h, a[i] & 255, 1)
    @cuda.jit
    def mandel(o):
        i, j = cuda.grid(2)
        x = y = 0.0; n = 0
        while x * x + y * y < 4 and n < 100:
            x, y = x * x - y * y + j / 512.0 - 1.5, 2 * x * y + i / 512.0 - 1.0; n += 1
        o[i, j] = n
    @cuda.jit
    def saxpy(a, x, y):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)): y[i] += a * x[i]
    a = cuda.to_device(np.ones((1024, 1024), np.float32)); b = cuda.device_array_like(a); k = cuda.to_device(np.arange(1 << 20, dtype=np.int32)); h = cuda.to_device(np.zeros(256, np.int32))
    o = cuda.device_array((1024, 1024), np.int32); x = cuda.to_device(np.ones(1 << 22, np.float32)); y = cuda.device_array_like(x)
    return {"stencil": lambda: stencil[(64, 64), (16, 16)](a, b), "stencil_x": lambda: stencil_x[(32, 128), (32, 8)](a, b), "hist": lambda: hist[4096, 256](k, h),
     "mandel": lambda: mandel[(64, 64), (16, 16)](o), "saxpy": lambda: saxpy[264, 256](np.float32(2), x, y)}


table = {"norms": liger_norms, "losses": liger_losses, "rest": liger_rest, "eager": eager, "compiled": compiled, "cupy": cupy, "numba": numba_}[group]()
torch.manual_seed(1)
for n, f in table.items():
    if len(sys.argv) > 2 and n not in sys.argv[2:]: continue
    try:
        made.clear()
        got = f()
        if group == "numba":
            from numba import cuda; cuda.synchronize()
        torch.cuda.synchronize(); print(n, "ok", sha(got), sha([x.grad for x in made if x.grad is not None]) if made else "", flush=True)
    except Exception as e:
        print(n, "FAILED", type(e).__name__, str(e)[:300].replace("\n", " "), flush=True)
