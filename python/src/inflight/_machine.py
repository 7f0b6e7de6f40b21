# SPDX-License-Identifier: Apache-2.0
"""What the compiler made of the kernels of a file: inflight.machine."""
from __future__ import annotations

import ctypes as c
import json
import os
import pathlib
import tempfile
from typing import Any, Dict, List, Union

from . import _header as h
from ._library import check, lib


def machine(file: Union[str, "os.PathLike[str]", bytes]) -> List[Dict[str, Any]]:
    """One object a kernel, as `inflight sass --json` has it (docs/sass.md): registers, spills, opcodes, loops, bytes in flight.
    `file` is a path, or the bytes of a cubin."""
    error, handle = h.ifl_error(), c.c_void_p()
    with tempfile.TemporaryDirectory(prefix="inflight-") as folder:
        path = pathlib.Path(folder) / "given.cubin"
        if isinstance(file, bytes):
            path.write_bytes(file)
        else:
            path = pathlib.Path(file)
        check(lib.ifl_machine_open(os.fspath(path).encode(), None, handle, error), error)
        try:
            out = os.path.join(folder, "machine.json").encode()
            check(lib.ifl_machine_save(handle, h.IFL_REPORT_JSON, None, out, error), error)
            return json.loads(pathlib.Path(out.decode()).read_text(encoding="utf-8"))["kernels"]
        finally:
            lib.ifl_machine_close(handle)
