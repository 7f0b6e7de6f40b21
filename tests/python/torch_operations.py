# SPDX-License-Identifier: Apache-2.0
# PyTorch as people have it: kernels of its own libraries. Each result is held against PyTorch's on the CPU.
import sys

import torch
import torch.nn.functional as F

failed = []


def same(got, wanted, relative, absolute):
    got = got.detach().cpu()
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return False
    return torch.allclose(got, wanted.detach(), rtol=relative, atol=absolute, equal_nan=True)


def check(name, operation, *tensors, relative=1e-4, absolute=1e-5):
    wanted = operation(*tensors)
    try:
        got = operation(*(t.cuda() for t in tensors))
        torch.cuda.synchronize()
    except RuntimeError as error:
        failed.append(name)
        print("FAILED", name, str(error).splitlines()[0])
        return
    if same(got, wanted, relative, absolute):
        print("ok", name)
    else:
        failed.append(name)
        print("WRONG", name, got.flatten()[:4], wanted.flatten()[:4])


def elementwise(x, y):
    check("add", lambda a, b: a + 2 * b, x, y)
    check("functions", lambda a, b: torch.tanh(a) * torch.exp(-b) + torch.rsqrt(a + 1), x, y)
    check("gelu", lambda a: F.gelu(a - 0.5), x)
    check("where", lambda a, b: torch.where(a > b, a, -b), x, y)
    check("half", lambda a: (a.half() * 3 + 1).float(), x)
    check("bfloat16", lambda a: (a.bfloat16() * 3 + 1).float(), x)
    check("double", lambda a: torch.sin(a.double()) / 3, x, relative=1e-12)
    check("integers", lambda a: (a * 100).long() // 7 % 5, x)
    check("broadcast", lambda a, b: a[:100, None] * b[None, :70], x, y)
    check("copy of strides", lambda a: a[:4900].view(70, 70).t().contiguous(), x)


def reductions(rows):
    check("sum", lambda a: a.sum(), rows)
    check("sum by rows", lambda a: a.sum(1), rows)
    check("sum by columns", lambda a: a.sum(0), rows)
    check("mean and variance", lambda a: a.mean(1) + a.var(1), rows)
    check("max", lambda a: a.max(1).values, rows)
    check("argmax", lambda a: a.argmax(1), rows)
    check("norm", lambda a: a.norm(), rows)
    check("all", lambda a: (a > -10).all(), rows)
    check("cumsum", lambda a: a.cumsum(1), rows)


def order(x, rows):
    check("sort", lambda a: a.sort().values, x)
    check("sort of rows", lambda a: a.sort(1).values, rows)
    check("topk", lambda a: a.topk(5, 1).values, rows)
    check("unique", lambda a: (a * 10).long().unique(), x)
    check("nonzero", lambda a: (a > 0.5).nonzero(), x)
    check("bincount", lambda a: torch.bincount((a * 50).long()), x)


def networks(rows):
    weight, bias = torch.rand(rows.shape[1]), torch.rand(rows.shape[1])
    names = torch.randint(0, rows.shape[0], (40,))
    check("softmax", lambda a: torch.softmax(a, 1), rows)
    check("log softmax", lambda a: torch.log_softmax(a, 1), rows)
    check("layer norm", lambda a, w, b: F.layer_norm(a, (a.shape[1],), w, b), rows, weight, bias)
    check("embedding", lambda a, n: F.embedding(n, a), rows, names)
    check("cross entropy", lambda a: F.cross_entropy(a, torch.arange(a.shape[0], device=a.device)), rows)
    check("indexing", lambda a, n: a[n], rows, names)
    check("index_put", lambda a, n: torch.zeros_like(a).index_put((n,), a[n] * 0 + 1, accumulate=True), rows, names)
    check("gather", lambda a, n: a.gather(1, n[:20, None]), rows, names)
    check("scatter_add", lambda a, n: torch.zeros(100, device=a.device).scatter_add(0, n, a[0, :40]), rows, names)
    check("concatenate", lambda a: torch.cat([a, a[:3]]), rows)
    check("masked fill", lambda a: a.masked_fill(a < 0, 0), rows)


def backward(a):
    a = a.clone().requires_grad_()
    F.gelu(F.layer_norm(a, (a.shape[1],))).square().sum().backward()
    return a.grad


def step_of(kind, **options):
    def step(a):
        weights = torch.nn.Parameter(torch.ones_like(a))
        optimizer = kind([weights], lr=0.01, **options)
        for _ in range(2):
            weights.grad = a.clone()
            optimizer.step()
        return weights
    return step


def training(rows):
    check("backward", backward, rows, absolute=1e-4)
    check("SGD", step_of(torch.optim.SGD, momentum=0.9), rows)
    check("AdamW", step_of(torch.optim.AdamW), rows)
    check("AdamW, one kernel for all", lambda a: step_of(torch.optim.AdamW, fused=True)(a), rows)


def main():
    torch.manual_seed(1)
    x, y, rows = torch.rand(5000), torch.rand(5000), torch.randn(40, 150)
    elementwise(x, y)
    reductions(rows)
    order(x, rows)
    networks(rows)
    training(rows)
    sys.exit(1 if failed else 0)


main()
