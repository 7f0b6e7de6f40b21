# SPDX-License-Identifier: Apache-2.0
"""Triton's own compiler under `inflight run`: wide blocks have more bytes in flight. test_inflight.py starts it."""
import triton
import triton.language as tl
from triton.runtime.jit import MockTensor

import inflight.triton


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


configs = [triton.Config({"BLOCK": block}, num_warps=4) for block in (128, 2048, 512)]
prune = inflight.triton.prune_configs(lambda: copy, gpu="h200", top_k=2)
tensor = MockTensor(tl.float32)
print([config.kwargs["BLOCK"] for config in prune(configs, {"x": tensor, "y": tensor, "n": 1 << 20})])
