# SPDX-License-Identifier: Apache-2.0
"""How many blocks of a shape a GPU holds: inflight.occupancy."""
from __future__ import annotations

import ctypes as c
from typing import Any, Dict

from . import _header as h
from ._library import check, lib


def occupancy(gpu: str, threads: int, registers: int = 0, shared_bytes: int = 0, barriers: int = 0) -> Dict[str, Any]:
    """By the rules of NVIDIA's calculator: blocks_per_sm, warps_per_sm, theoretical, limiter, and the steps around."""
    error, device, result = h.ifl_error(), c.c_void_p(), h.ifl_occupancy()
    check(lib.ifl_device_open(gpu.encode(), device, error), error)
    try:
        request = h.ifl_occupancy_request(threads=threads, registers=registers, shared_bytes=shared_bytes, barriers=barriers)
        check(lib.ifl_occupancy_compute(device, request, result, error), error)
        values = {field[0]: getattr(result, field[0]) for field in h.ifl_occupancy._fields_}
        values["limiter"] = values["limiter"].decode()
        return values
    finally:
        lib.ifl_device_close(device)
