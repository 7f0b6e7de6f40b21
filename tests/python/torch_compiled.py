# SPDX-License-Identifier: Apache-2.0
# PyTorch's compiler: its kernels are Triton's. Products of matrices, which are cuBLAS's elsewhere, are Triton's too where it is told
# so. Backward passes run on a thread that has not called CUDA's runtime. Results are held against the CPU's.
import copy

import torch
import torch.nn.functional as F
import torch._inductor.config as inductor

inductor.max_autotune_gemm_backends = "TRITON"
inductor.max_autotune_gemm_search_space = "DEFAULT"


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.norm = torch.nn.Embedding(50, 64), torch.nn.LayerNorm(64)

    def forward(self, at):
        h = self.norm(self.words(at))
        return (F.silu(h) * h).cumsum(1).square().mean()


def close(got, wanted, tolerance=1e-3):
    torch.testing.assert_close(got.detach().cpu().float(), wanted.detach().float(), rtol=tolerance, atol=tolerance)


torch.manual_seed(0)
x, y = torch.randn(64, 300), torch.randn(64, 300)
rows = torch.compile(lambda x, y: torch.softmax(x * y + torch.sin(x), -1).sum(0) * F.gelu(y[0]))
close(rows(x.cuda(), y.cuda()), torch.softmax(x * y + torch.sin(x), -1).sum(0) * F.gelu(y[0]))
print("ok rows")

on_cpu = Model()
on_gpu = copy.deepcopy(on_cpu).cuda()
at = torch.randint(0, 50, (8, 20))
loss, wanted = torch.compile(on_gpu)(at.cuda()), on_cpu(at)
loss.backward()
wanted.backward()
close(loss, wanted)
for got, of in zip(on_gpu.parameters(), on_cpu.parameters()):
    close(got.grad, of.grad)
print("ok model")

a, b = torch.randn(64, 64), torch.randn(64, 48)
times = torch.compile(lambda a, b: torch.relu(a @ b), mode="max-autotune-no-cudagraphs")
close(times(a.cuda().half(), b.cuda().half()), torch.relu(a.half().float() @ b.half().float()), 2e-2)
print("ok product")
