# SPDX-License-Identifier: Apache-2.0
# What PyTorch leaves to NVIDIA's libraries, which have stripped runtimes inside: products of matrices and a training step
# (cuBLAS, cuBLASLt), convolutions and recurrent layers (cuDNN), factorizations (cuSOLVER), sparse products (cuSPARSE). Each
# result is held against PyTorch's on the CPU.
import sys

import torch
import torch.nn.functional as F

torch.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
failed = []


def check(name, operation, *tensors, relative=1e-4):
    wanted = operation(*(t.float() if t.is_floating_point() and t.element_size() == 2 else t for t in tensors))
    try:
        got = operation(*(t.cuda() for t in tensors)).cpu()
    except RuntimeError as error:
        failed.append(name)
        print("FAILED", name, str(error).splitlines()[0])
        sys.exit(1)  # after an error of the GPU nothing else runs
    off = (got.double() - wanted.double()).abs().max().item() / max(wanted.double().abs().max().item(), 1e-30)
    print("ok" if off <= relative else "WRONG", name, off)
    if off > relative:
        failed.append(name)


def train(x):
    torch.manual_seed(2)
    model = torch.nn.Sequential(torch.nn.Linear(48, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)).to(x.device)
    step = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        step.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        step.step()
    return loss.detach()


def layer(kind, *sizes):
    torch.manual_seed(3)
    made = kind(*sizes)
    return lambda x: (made.to(x.device)(x)[0] if kind is torch.nn.LSTM else made.to(x.device)(x)).detach()


small, tall, square = torch.randn(32, 48), torch.randn(96, 64), torch.randn(64, 64)
check("matmul float", torch.matmul, small, torch.randn(48, 40))
check("matmul double", torch.matmul, square.double(), square.double(), relative=1e-12)
for type in (torch.float16, torch.bfloat16):
    for name, a, b in (("nn", tall, square), ("nt", tall, square.t()), ("tn", tall.t(), tall), ("tt", tall.t(), tall.t()[:, :96].t())):
        check(f"matmul {type} {name}", torch.matmul, a.to(type), b.to(type), relative=4e-3 if type == torch.float16 else 3e-2)
check("bmm", torch.bmm, torch.randn(4, 24, 32), torch.randn(4, 32, 16))
check("training", train, torch.randn(16, 48))
check("conv2d", lambda x, w: F.conv2d(x, w, padding=1), torch.randn(1, 8, 12, 12), torch.randn(16, 8, 3, 3))
half = (torch.randn(1, 32, 10, 12).half().to(memory_format=torch.channels_last),
        torch.randn(32, 32, 3, 3).half().to(memory_format=torch.channels_last))
check("conv2d half", lambda x, w: F.conv2d(x, w, padding=1, stride=2), *half, relative=4e-3)
check("lstm", layer(torch.nn.LSTM, 16, 24), torch.randn(5, 2, 16), relative=1e-3)
check("solve", torch.linalg.solve, square + 16 * torch.eye(64), torch.randn(64, 3))
check("cholesky", torch.linalg.cholesky, square @ square.t() + 64 * torch.eye(64))
check("svd", torch.linalg.svdvals, torch.randn(12, 8))
check("sparse", lambda a, b: a.to_sparse_csr() @ b, square * (square > 1), torch.randn(64, 8))
if failed:
    sys.exit("failed: " + ", ".join(failed))
