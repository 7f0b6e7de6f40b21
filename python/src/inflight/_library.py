# SPDX-License-Identifier: Apache-2.0
"""Finds and loads libinflight.so, and gives its functions their types."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
from typing import Any, Iterator

from . import _header


class Error(Exception):
    """What a function of the library ended with: `status` (IFL_...), and where `file`, `line`, `column`."""

    def __init__(self, error: Any) -> None:
        place = error.file.decode(errors="replace")
        self.status, self.file, self.line, self.column = error.status, place, error.line, error.column
        at = f"{place}:{error.line}: " if place and error.line else f"{place}: " if place else ""
        super().__init__(at + error.text.decode(errors="replace"))


def _candidates() -> Iterator[str]:
    given = os.environ.get("INFLIGHT_LIBRARY")
    if given:
        yield given
        return
    here = pathlib.Path(__file__).resolve()
    yield str(here.parent / "libinflight.so")
    yield str(here.parents[3] / "build" / "libinflight.so")  # the tree that it was installed from with pip -e
    yield "libinflight.so.0"
    found = ctypes.util.find_library("inflight")
    if found:
        yield found


def load() -> Any:
    tried = []
    for name in _candidates():
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            tried.append(f"  {error}")
            continue
        for function, (result, arguments) in _header.FUNCTIONS.items():
            entry = getattr(library, function)
            entry.restype, entry.argtypes = result, arguments
        return library
    raise ImportError("libinflight.so is not found; INFLIGHT_LIBRARY may say where it is\n" + "\n".join(tried))


lib = load()


def check(status: int, error: Any) -> None:
    """Raises Error for any status but IFL_OK."""
    if status != _header.IFL_OK:
        error.status = status
        raise Error(error)
