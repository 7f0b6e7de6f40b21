# SPDX-License-Identifier: Apache-2.0
"""Triton's autotuner with inflight's judgement before anything is timed.

    @triton.autotune(configs=configs, key=["n"],
                     prune_configs_by={"early_config_prune": inflight.triton.prune_configs(lambda: kernel.fn, gpu="h200")})
    @triton.jit
    def kernel(...): ...

Each configuration is compiled, which needs no GPU's time. Those that spill are dropped while others do not; the others are ranked by
how much of the bandwidth their loads in flight can keep busy (Thread Coarsening: bytes in flight over latency times bandwidth), or,
where `launch` says with what arguments, by the model's time of that launch."""
from __future__ import annotations

import pathlib
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ._analyze import analyze
from ._machine import machine
from ._occupancy import occupancy

Compile = Callable[[Any, Mapping[str, Any]], Tuple[bytes, int, int]]
Launch = Callable[[Any, Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True)
class Judgement:
    """Of one configuration."""

    config: Any
    registers: int
    spill_bytes: int
    warps_per_sm: int
    bytes_in_flight_per_sm: float
    time_us: Optional[float]  # by the model; None where no launch was given

    def rank(self) -> Tuple[Any, ...]:
        """Least first."""
        if self.time_us is not None:
            return (self.spill_bytes > 0, self.time_us)
        return (self.spill_bytes > 0, -self.bytes_in_flight_per_sm, -self.warps_per_sm)


def _compile_with(function: Any) -> Compile:
    """With Triton's own compiler, for the GPU at hand: cubin, warps, bytes of shared memory."""

    def compile_config(config: Any, arguments: Mapping[str, Any]) -> Tuple[bytes, int, int]:
        made = function().warmup(**arguments, **config.all_kwargs(), grid=(1,))
        return made.asm["cubin"], made.metadata.num_warps, made.metadata.shared

    return compile_config


def judge(config: Any, arguments: Mapping[str, Any], compile_config: Compile, gpu: str, launch: Optional[Launch] = None) -> Judgement:
    cubin, warps, shared = compile_config(config, arguments)
    kernel = next(k for k in machine(cubin) if k.get("is_kernel", True))
    shape = occupancy(gpu, threads=32 * warps, registers=kernel["registers"], shared_bytes=shared)
    time_us = _time(cubin, launch(config, arguments), gpu) if launch else None
    return Judgement(config=config, registers=kernel["registers"],
                     spill_bytes=kernel.get("spill_load_bytes", 0) + kernel.get("spill_store_bytes", 0),
                     warps_per_sm=shape["warps_per_sm"],
                     bytes_in_flight_per_sm=float(kernel.get("bytes_in_flight", 0)) * shape["warps_per_sm"], time_us=time_us)


def _time(cubin: bytes, words: Mapping[str, Any], gpu: str) -> float:
    """`words` are analyze's: grid, block, shared, args, kernel."""
    with tempfile.TemporaryDirectory(prefix="inflight-") as folder:
        path = pathlib.Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        model = analyze(path, gpus=[gpu], **words).models[gpu]
    return float(model.get("time_us", float("inf")))


def prune_configs(function: Optional[Callable[[], Any]] = None, *, gpu: str = "h200", top_k: int = 4, launch: Optional[Launch] = None,
                  compile_config: Optional[Compile] = None) -> Callable[..., List[Any]]:
    """An `early_config_prune`. `function` gives the JITFunction when it is asked for; or `compile_config` compiles itself, to a cubin,
    its warps and its bytes of shared memory. `launch(config, arguments)` gives analyze's words: then the model's time decides."""
    if function is None and compile_config is None:
        raise TypeError("prune_configs needs the kernel (lambda: kernel.fn) or a compile_config")
    build = compile_config or _compile_with(function)

    def early_config_prune(configs: Sequence[Any], named_args: Mapping[str, Any], **kwargs: Any) -> List[Any]:
        arguments: Dict[str, Any] = {**named_args, **kwargs}
        judged = [judge(config, arguments, build, gpu, launch) for config in configs]
        return [one.config for one in sorted(judged, key=Judgement.rank)[:top_k]]

    return early_config_prune
