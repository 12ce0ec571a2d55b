"""What the demo measures: one step, step times by shape, and compile time."""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import thunder
from torch import nn

from text import Batch

Shape = tuple[int, int]
REPEATS = 5
"""Timed steps for each shape; their median is reported."""


def jit(model: nn.Module, cache: str) -> nn.Module:
    """Return `model` compiled by Thunder; it shares the parameters."""
    compiled = thunder.jit(model, cache=cache)
    assert isinstance(compiled, nn.Module)
    return compiled


def specializations(compiled: nn.Module) -> int:
    """Return how many computations `compiled` has cached."""
    stats = thunder.compile_stats(compiled)
    assert stats is not None
    return len(stats.interpreter_cache)


def run_step(model: nn.Module, batch: Batch) -> tuple[float, float]:
    """Run forward and backward on fresh gradients; return the loss and the seconds that both took."""
    model.zero_grad()
    start = time.perf_counter()
    loss = model(batch.tokens, batch.targets)
    loss.backward()
    seconds = time.perf_counter() - start
    return loss.item(), seconds


def gradient_norm(model: nn.Module) -> float:
    """Return the norm of all gradients that the last step left."""
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    return nn.utils.get_total_norm(gradients).item()


def median_step_seconds(models: Mapping[str, nn.Module], batches: Iterable[Batch]) -> dict[str, dict[Shape, float]]:
    """Return the median seconds of a step by model and shape; the models take turns, to share any disturbance."""
    medians: dict[str, dict[Shape, float]] = {name: {} for name in models}
    for batch in batches:
        times: dict[str, list[float]] = {name: [] for name in models}
        for _ in range(REPEATS):
            for name, model in models.items():
                times[name].append(run_step(model, batch)[1])
        for name, seconds in times.items():
            medians[name][batch.shape] = statistics.median(seconds)
    return medians


@dataclass(frozen=True)
class ConstantValues:
    """Seconds by shape with `cache="constant values"`."""

    compile_seconds: dict[Shape, float]
    step_seconds: dict[Shape, float]

    def extrapolated_compile_seconds(self, shapes: int) -> float:
        """Return what compiling would take for `shapes` shapes, each at the mean of the measured ones."""
        return statistics.mean(self.compile_seconds.values()) * shapes


def measure_constant_values(model: nn.Module, batches: Iterable[Batch]) -> ConstantValues:
    """Compile a copy of the eager `model` once for each of `batches`, which differ in shape."""
    compiled = jit(copy.deepcopy(model), cache="constant values")
    compile_seconds: dict[Shape, float] = {}
    step_seconds: dict[Shape, float] = {}
    for batch in batches:
        first = run_step(compiled, batch)[1]
        step_seconds |= median_step_seconds({"constant": compiled}, [batch])["constant"]
        compile_seconds[batch.shape] = first - step_seconds[batch.shape]
    return ConstantValues(compile_seconds, step_seconds)
