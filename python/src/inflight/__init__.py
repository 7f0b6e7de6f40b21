# SPDX-License-Identifier: Apache-2.0
"""Why a CUDA kernel does not reach the memory bandwidth, and what would make it: libinflight from Python."""
from ._analyze import Report, analyze
from ._library import Error, lib
from ._machine import machine
from ._occupancy import occupancy
from ._watch import NotWatched, Seen, watch

__version__: str = lib.ifl_version().decode()
__all__ = ["Error", "NotWatched", "Report", "Seen", "analyze", "lib", "machine", "occupancy", "watch", "__version__"]
