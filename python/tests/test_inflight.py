# SPDX-License-Identifier: Apache-2.0
"""The package against the lab's kernels: what is counted is arithmetic on the launch, as the comments have it."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "src"))

import inflight  # noqa: E402
import inflight.triton  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

AXPY = ROOT / "lab" / "axpy"


class Analyze(unittest.TestCase):
    def test_counts(self):
        # 64 blocks of 8 warps: two loads and a store each, four sectors of 32 bytes a request.
        report = inflight.analyze(AXPY / "axpy.sm_90.ptx", "axpy_naive", grid=64, block=256,
                                  args=[1 << 14, 2.0, "f32x2^14=zero", "f32x2^14=zero"], gpus=["h200", "t4"])
        self.assertEqual(report.kernel, "axpy_naive")
        self.assertEqual(report.counters["global_load_requests"], 64 * 8 * 2)
        self.assertEqual(report.counters["global_load_sectors"], 64 * 8 * 2 * 4)
        self.assertEqual(report.counters["global_store_sectors"], 64 * 8 * 4)
        self.assertEqual(report.ncu["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], 64 * 8 * 2)
        self.assertEqual(len(report.lines), 3)
        self.assertEqual(set(report.models), {"h200", "t4"})
        self.assertGreater(report.models["h200"]["time_us"], 0)

    def test_launch_file_and_machine_code(self):
        report = inflight.analyze(AXPY / "axpy_naive.launch", grid=2)
        self.assertEqual(report.counters["global_load_requests"], 2 * 8 * 2)
        report = inflight.analyze(AXPY / "axpy.sm_90.cubin", "axpy_naive", grid="2x1", block=(256, 1),
                                  args=[512, 2.0, "f32x512=zero", "f32x512=zero"])
        self.assertEqual(report.counters["global_load_requests"], 2 * 8 * 2)
        self.assertTrue(report.machine["registers"] > 0)

    def test_errors(self):
        with self.assertRaises(inflight.Error) as caught:
            inflight.analyze("nothing.ptx")
        self.assertIn("nothing.ptx", str(caught.exception))
        with self.assertRaises(inflight.Error) as caught:
            inflight.analyze(AXPY / "axpy.sm_90.ptx", "axpy_naive", grid=1, block=256, args=[256, 2.0, "u64:0", "u64:0"])
        self.assertEqual(caught.exception.status, 1)  # IFL_FINDING: the kernel faults
        with self.assertRaises(TypeError):
            inflight.analyze(AXPY / "axpy.sm_90.ptx", "axpy_naive", grid=1, block=256, args=[object()])

    def test_occupancy(self):
        shape = inflight.occupancy("h200", threads=256, registers=32)
        self.assertEqual((shape["blocks_per_sm"], shape["warps_per_sm"], shape["limiter"]), (8, 64, "warps"))

    @unittest.skipIf(numpy is None, "no NumPy")
    def test_arrays(self):
        x = numpy.arange(1000, dtype=numpy.float32)
        y = numpy.full(1000, 3, dtype=numpy.float32)
        report = inflight.analyze(AXPY / "axpy.sm_90.ptx", "axpy_naive", grid=4, block=256, args=[1000, numpy.float32(2), x, y])
        self.assertTrue((report.outputs[3] == 2 * x + y).all())
        self.assertTrue((report.outputs[2] == x).all())
        with self.assertRaises(TypeError):
            inflight.analyze(AXPY / "axpy.sm_90.ptx", "axpy_naive", grid=1, block=256, args=[numpy.zeros(4, dtype=complex)])


WATCHED = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
import inflight
cuda = ctypes.CDLL("libcuda.so.1")
def ok(code):
    assert code == 0, code
context, module, kernel, memory = (ctypes.c_void_p() for _ in range(4))
ok(cuda.cuInit(0))
ok(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
ok(cuda.cuModuleLoad(ctypes.byref(module), sys.argv[2].encode()))
ok(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"axpy_naive"))
ok(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(1 << 20)))
def launch(blocks):
    words = [ctypes.c_int(1 << 14), ctypes.c_float(2), memory, memory]
    pointers = (ctypes.c_void_p * 4)(*[ctypes.cast(ctypes.pointer(w), ctypes.c_void_p) for w in words])
    ok(cuda.cuLaunchKernel(kernel, blocks, 1, 1, 256, 1, 1, 0, None, pointers, None))
launch(2)
with inflight.watch() as seen:
    launch(2)
    launch(2)
    launch(3)
launch(3)
with inflight.watch() as nothing:
    pass
print(len(seen), seen["axpy_naive"].counters["global_load_requests"], [r["made"] for r in seen.launches], len(nothing))
"""


class Watch(unittest.TestCase):
    def test_needs_inflight_run(self):
        with self.assertRaises(inflight.NotWatched):
            with inflight.watch():
                pass

    @unittest.skipUnless(os.environ.get("INFLIGHT"), "no program")
    def test_watches_a_part(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
            script.write(WATCHED)
            script.flush()
            done = subprocess.run([os.environ["INFLIGHT"], "run", "--launches", "0", "--", sys.executable, script.name,
                                   str(ROOT / "python" / "src"), str(AXPY / "axpy.sm_90.ptx")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        # Two of two blocks, 8 warps of 2 loads each; one of three blocks; neither the one before nor the one after.
        self.assertEqual(done.stdout.strip(), f"2 {2 * 2 * 8 * 2} [2, 1] 0")


class Config:
    def __init__(self, name):
        self.name = name


class Triton(unittest.TestCase):
    CUBINS = ROOT / "examples" / "gate"

    def compile(self, config, arguments):
        return (self.CUBINS / "changes" / config.name / "kernels.cubin").read_bytes(), 8, 0

    def test_prunes_what_spills(self):
        # The first kernel of both files is smooth; that of "spill" spills.
        configs = [Config("spill"), Config("fp64")]
        prune = inflight.triton.prune_configs(gpu="h200", top_k=1, compile_config=self.compile)
        self.assertEqual([c.name for c in prune(configs, {"n": 5})], ["fp64"])

    def test_prunes_by_time(self):
        def launch(config, arguments):
            return {"kernel": "transpose", "grid": (8, 8), "block": (32, 8), "args": ["f32x65536=zero", "f32x65536=random", "i32:256"]}

        configs = [Config("coalescing"), Config("fp64")]
        prune = inflight.triton.prune_configs(gpu="h200", top_k=2, compile_config=self.compile, launch=launch)
        self.assertEqual([c.name for c in prune(configs, {})], ["fp64", "coalescing"])

    @unittest.skipUnless(os.environ.get("INFLIGHT") and importlib.util.find_spec("triton"), "no Triton")
    def test_tritons_own_compiler(self):
        script = ROOT / "python" / "tests" / "triton_prune.py"
        paths = os.pathsep.join(filter(None, [str(ROOT / "python" / "src"), os.environ.get("PYTHONPATH")]))
        done = subprocess.run([os.environ["INFLIGHT"], "run", "--", sys.executable, str(script)], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": paths})
        self.assertEqual(done.stdout.strip(), "[2048, 512]", done.stderr[-2000:])

    def test_needs_a_kernel(self):
        with self.assertRaises(TypeError):
            inflight.triton.prune_configs(gpu="h200")


if __name__ == "__main__":
    unittest.main()
