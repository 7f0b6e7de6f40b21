# SPDX-License-Identifier: Apache-2.0
# What NumPy computes of the inputs of *.launch here, as lines of cupy_results.txt: FILE ARGUMENT HASH. Roots, quotients and conversions are
# rounded as IEEE 754 says, sums are of integers: each bit is certain. No test needs NumPy.
#     python3 numpy_results.py INFLIGHT >cupy_results.txt         in the root of the sources
#
# CuPy 14.2 (NVRTC 13.0) made the cubins for an H200 under `inflight run`, with CUPY_ACCELERATORS empty: cupy.sqrt(x), x / y,
# cupy.maximum(x, y), x.astype(float16), i.sum() and x.max(), as its cache has them (CUPY_CACHE_DIR), without the 40 bytes before each.
import subprocess
import sys
import tempfile

import numpy

FOLDER = "tests/python/captured"
# launch, arguments that it reads, argument that it writes, what NumPy makes of them
kernels = [
    ("cupy_sqrt", [0], 4, numpy.sqrt),
    ("cupy_true_divide", [0, 4], 8, numpy.divide),
    ("cupy_maximum", [0, 4], 8, numpy.maximum),
    ("cupy_copy", [0], 4, lambda x: x.astype(numpy.float16)),
    ("cupy_sum", [0], 4, lambda i: i.sum(dtype=numpy.int64)),
    ("cupy_max", [0], 4, numpy.max),
]


def hash_of(data):  # FNV-1a
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def input_of(launch, argument):
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        subprocess.run([sys.argv[1], "analyze", launch, "--save", f"{argument}={file.name}"], check=True, stdout=subprocess.DEVNULL)
        return numpy.load(file.name)


print("# What NumPy makes of the same inputs (numpy_results.py): FILE ARGUMENT HASH (tests/gpu/launch_results.c).")
for name, reads, writes, compute in kernels:
    launch = f"{FOLDER}/{name}.launch"
    wanted = numpy.asarray(compute(*(input_of(launch, argument) for argument in reads)))
    print(f"{launch} {writes} {hash_of(wanted.tobytes()):016x}")
