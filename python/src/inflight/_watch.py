# SPDX-License-Identifier: Apache-2.0
"""Launches of a part of a program that runs under `inflight run`: inflight.watch."""
from __future__ import annotations

import ctypes as c
import json
import os
import pathlib
import tempfile
from typing import Any, Dict, List, Optional

from ._analyze import Report


class NotWatched(RuntimeError):
    """The program does not run under `inflight run`."""


def _mapped() -> Optional[str]:
    for line in pathlib.Path("/proc/self/maps").read_text(errors="replace").splitlines():
        path = line.split(maxsplit=5)[-1]
        if path.endswith("/libinflight_standin.so"):
            return path
    return None


def _stand_in() -> Any:
    """The library that stands in for the GPU; None where the process has none. Nothing may have called CUDA yet."""
    if not os.environ.get("INFLIGHT_RUN_PROCESS"):
        return None
    path = _mapped()
    if path is None:
        try:
            c.CDLL("libcuda.so.1")
        except OSError:
            return None
        path = _mapped()
    return c.CDLL(path) if path else None


def _key(row: Dict[str, Any]) -> Any:
    return (row["kernel"], tuple(row["grid"]), tuple(row["block"]), row.get("shared_bytes"), row.get("site"))


def _minus(now: Any, before: Any) -> Any:
    """Counts of one row less those of the same row before; models and patterns stay as they are now."""
    changed = dict(now)
    for name in ("counters", "ptx_opcodes", "opcodes"):
        if name in now:
            changed[name] = {k: v - before.get(name, {}).get(k, 0) for k, v in now[name].items()}
    for name in ("launches", "made", "blocks_done"):
        if isinstance(now.get(name), int):
            changed[name] = now[name] - before.get(name, 0)
    if len(now.get("lines", [])) == len(before.get("lines", [])):
        changed["lines"] = [_minus(a, b) for a, b in zip(now.get("lines", []), before.get("lines", []))]
    return changed


class Seen:
    """What was launched: `launches`, rows as in the JSON report of `inflight run`, in the order of their first launch."""

    def __init__(self) -> None:
        self.launches: List[Dict[str, Any]] = []

    def __getitem__(self, kernel: str) -> Report:
        for row in self.launches:
            if kernel in (row["kernel"], row.get("signature"), row.get("signature", "").split("(")[0]):
                return Report(row)
        raise KeyError(kernel)

    def __len__(self) -> int:
        return len(self.launches)


class watch:
    """with inflight.watch() as seen: ... launches ...; then `seen.launches`. Needs `inflight run -- python ...`."""

    def __init__(self) -> None:
        self.seen = Seen()
        self._before: Dict[Any, Dict[str, Any]] = {}
        self._library: Optional[Any] = None

    def _rows(self) -> List[Dict[str, Any]]:
        with tempfile.TemporaryDirectory(prefix="inflight-") as folder:
            path = os.path.join(folder, "rows.json")
            status = self._library.ifl_standin_snapshot(path.encode())  # type: ignore[union-attr]
            if status != 0:
                raise NotWatched(f"the stand-in cannot say what was launched: status {status}")
            return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["launches"]

    def __enter__(self) -> Seen:
        self._library = _stand_in()
        if self._library is None or not hasattr(self._library, "ifl_standin_snapshot"):
            raise NotWatched("watch() needs a program that runs under inflight: inflight run --launches 0 -- python script.py")
        self._before = {_key(row): row for row in self._rows()}
        return self.seen

    def __exit__(self, *problem: Any) -> None:
        for row in self._rows():
            before = self._before.get(_key(row))
            if before is None:
                self.seen.launches.append(row)
            elif before.get("made") != row.get("made"):
                self.seen.launches.append(_minus(row, before))
