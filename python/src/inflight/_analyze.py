# SPDX-License-Identifier: Apache-2.0
"""One launch on the engine: inflight.analyze."""
from __future__ import annotations

import ctypes as c
import json
import os
import pathlib
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import _header as h
from ._library import check, lib
from ._ncu import METRICS

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

Argument = Any
Shape = Union[int, str, Sequence[int]]

# Element types of launches (docs/launch.md) and NumPy's.
_TYPES = {"int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64",
          "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64"}
_NUMPY = {ours: theirs for theirs, ours in _TYPES.items()}
# What PTX calls a parameter.
_PARAMETERS = {"b8": "u8", "b16": "u16", "b32": "u32", "b64": "u64", "s8": "i8", "s16": "i16", "s32": "i32", "s64": "i64"}


class Report:
    """What a launch asked of the memory, and what it would do on GPUs: the launch of the JSON report (docs/json.md)."""

    def __init__(self, launch: Mapping[str, Any], outputs: Optional[Mapping[int, Any]] = None) -> None:
        self.launch: Dict[str, Any] = dict(launch)
        self.outputs: Dict[int, Any] = dict(outputs or {})

    @property
    def kernel(self) -> str:
        return self.launch["kernel"]

    @property
    def counters(self) -> Dict[str, int]:
        return self.launch.get("counters", {})

    @property
    def ncu(self) -> Dict[str, int]:
        """Counters by Nsight Compute's names, where it has one for the same thing."""
        return {METRICS[name]: value for name, value in self.counters.items() if name in METRICS}

    @property
    def lines(self) -> List[Dict[str, Any]]:
        return self.launch.get("lines", [])

    @property
    def models(self) -> Dict[str, Dict[str, Any]]:
        return {model["gpu"]: model for model in self.launch.get("models", [])}

    @property
    def findings(self) -> List[Dict[str, Any]]:
        return self.launch.get("findings", [])

    @property
    def advice(self) -> List[Dict[str, Any]]:
        return self.launch.get("advice", [])

    @property
    def machine(self) -> Optional[Dict[str, Any]]:
        return self.launch.get("machine")

    def __repr__(self) -> str:
        return f"<inflight.Report of {self.kernel}: {self.counters.get('global_load_sectors', 0)} sectors loaded>"


def _shape(value: Shape) -> str:
    if isinstance(value, (int, str)):
        return str(value)
    return ",".join(str(v) for v in value)


class _Run:
    """Handles of the library that are freed together."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.error = h.ifl_error()
        self.free: List[Any] = []

    def ok(self, status: int) -> None:
        check(status, self.error)

    def keep(self, function: Any, handle: c.c_void_p) -> c.c_void_p:
        self.free.append((function, handle))
        return handle

    def close(self) -> None:
        while self.free:
            function, handle = self.free.pop()
            function(handle)


def _kernel_index(module: c.c_void_p, wanted: Optional[str]) -> int:
    for index in range(lib.ifl_module_kernel_count(module)):
        signature = lib.ifl_module_kernel_signature(module, index).decode()
        name = lib.ifl_module_kernel_name(module, index).decode()
        if wanted is None or wanted in (name, signature) or signature.split("(")[0] == wanted:
            return index
    return 0


def _argument(run: _Run, module: c.c_void_p, kernel: int, index: int, value: Argument) -> str:
    if isinstance(value, str):
        return value
    if numpy is not None and isinstance(value, numpy.ndarray):
        kind = _TYPES.get(value.dtype.name)
        if not kind:
            raise TypeError(f"argument {index}: no kernel takes elements of {value.dtype}")
        path = os.path.join(run.folder, f"argument{index}.npy")
        numpy.save(path, numpy.ascontiguousarray(value.reshape(-1)))
        return f"{kind}x{value.size}=@{path}"
    if numpy is not None and isinstance(value, numpy.generic):
        return f"{_TYPES[value.dtype.name]}:{value.item()!r}"
    if isinstance(value, (bool, int, float)):
        given = lib.ifl_module_kernel_parameter(module, kernel, index)
        kind = given.decode() if given else "i32"
        number = int(value) if isinstance(value, bool) else value
        return f"{_PARAMETERS.get(kind, kind)}:{number!r}"
    raise TypeError(f"argument {index}: {type(value).__name__} is neither a number, nor an array, nor a text as in docs/launch.md")


def _output(run: _Run, launch: c.c_void_p, index: int) -> Any:
    """The buffer as a NumPy array, or as bytes; None where the argument is no buffer."""
    info = h.ifl_launch_argument_info()
    run.ok(lib.ifl_launch_argument_at(launch, index, info, run.error))
    if not info.is_buffer or not info.data:
        return None
    data = c.string_at(info.data, info.bytes)
    kind = _NUMPY.get(info.type.decode()) if info.type else None
    if numpy is None or not kind:
        return data
    return numpy.frombuffer(data, dtype=kind).copy()


def _open_launch(run: _Run, file: str, kernel: Optional[str], arch: Optional[str], settings: Mapping[str, Any],
                 args: Sequence[Argument]) -> c.c_void_p:
    module, launch = c.c_void_p(), c.c_void_p()
    if file.endswith(".launch"):
        run.ok(lib.ifl_launch_read(file.encode(), module, launch, run.error))
        run.keep(lib.ifl_module_close, module)
        run.keep(lib.ifl_launch_free, launch)
    else:
        run.ok(lib.ifl_module_open(file.encode(), arch.encode() if arch else None, module, run.error))
        run.keep(lib.ifl_module_close, module)
        run.ok(lib.ifl_launch_new(module, kernel.encode() if kernel else None, launch, run.error))
        run.keep(lib.ifl_launch_free, launch)
    for key, value in settings.items():
        if value is not None:
            run.ok(lib.ifl_launch_set(launch, key.encode(), str(value).encode(), run.error))
    index = _kernel_index(module, kernel)
    for number, value in enumerate(args):
        words = _argument(run, module, index, number, value)
        run.ok(lib.ifl_launch_set(launch, b"arg", words.encode(), run.error))
    return launch


def _report(run: _Run, profile: c.c_void_p, devices: Sequence[c.c_void_p]) -> Dict[str, Any]:
    outcome = c.c_void_p()
    run.ok(lib.ifl_outcome_new(profile, outcome, run.error))
    run.keep(lib.ifl_outcome_free, outcome)
    for device in devices:
        run.ok(lib.ifl_outcome_add(outcome, device, run.error))
    path = os.path.join(run.folder, "report.json")
    outcomes = (c.c_void_p * 1)(outcome)
    run.ok(lib.ifl_report_save(outcomes, 1, h.IFL_REPORT_JSON, None, path.encode(), run.error))
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["launches"][0]


def analyze(file: Union[str, "os.PathLike[str]"], kernel: Optional[str] = None, *, grid: Optional[Shape] = None,
            block: Optional[Shape] = None, shared: Optional[int] = None, args: Sequence[Argument] = (),
            gpus: Sequence[str] = (), arch: Optional[str] = None, machine: Optional[str] = None, code: Optional[str] = None,
            threads: int = 0, check_reads: bool = False) -> Report:
    """Runs one launch of one kernel exactly, on the CPU.

    `file` is PTX, a cubin, an executable that carries either, a .cu file where a compiler is at hand, or a launch file. `args` has one
    entry a parameter: a number, a NumPy scalar or array, or the words of docs/launch.md. `gpus` names those to model.
    Raises Error, also for a kernel that faults."""
    with tempfile.TemporaryDirectory(prefix="inflight-") as folder:
        run = _Run(folder)
        try:
            devices = []
            for name in gpus:
                device = c.c_void_p()
                run.ok(lib.ifl_device_open(name.encode(), device, run.error))
                devices.append(run.keep(lib.ifl_device_close, device))
            settings = {"grid": None if grid is None else _shape(grid), "block": None if block is None else _shape(block),
                        "shared": shared, "machine": machine, "code": code}
            launch = _open_launch(run, os.fspath(file), kernel, arch, settings, args)
            options = h.ifl_run_options(threads=threads, check_reads=check_reads, device_count=len(devices))
            listed = (c.c_void_p * max(len(devices), 1))(*devices)
            options.devices = c.cast(listed, c.POINTER(c.c_void_p))
            profile = c.c_void_p()
            status = lib.ifl_launch_run(launch, options, profile, run.error)
            if profile:
                run.keep(lib.ifl_profile_free, profile)
            run.ok(status)
            report = _report(run, profile, devices)
            count = lib.ifl_launch_argument_count(launch)
            outputs = {i: _output(run, launch, i) for i in range(count)}
            return Report(report, {i: value for i, value in outputs.items() if value is not None})
        finally:
            run.close()
