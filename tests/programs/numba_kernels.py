# SPDX-License-Identifier: Apache-2.0
# The kernel of numba_reduce.ptx. No test needs Numba; numba-cuda 0.30 with the NVVM of CUDA 12.4 wrote it without a GPU:
#     python3 numba_kernels.py tests/programs
# and the launch was put on top by hand.
import sys

from numba import cuda, float32


def reduce(x, total):
    shared = cuda.shared.array(256, float32)
    thread = cuda.threadIdx.x
    at = cuda.grid(1)
    shared[thread] = x[at] if at < x.size else 0
    cuda.syncthreads()
    half = 128
    while half > 0:
        if thread < half:
            shared[thread] += shared[thread + half]
        cuda.syncthreads()
        half //= 2
    if thread == 0:
        cuda.atomic.add(total, 0, shared[0])


text, _ = cuda.compile_ptx(reduce, (float32[::1], float32[::1]), cc=(9, 0))
with open(f"{sys.argv[1]}/numba_reduce.ptx", "w") as file:
    file.write(text)
