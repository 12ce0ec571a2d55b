"""Patch to ``thunder.executors.passes``: what executors hand over is cleaned as what they receive."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from thunder.core.compile_data import is_symbolic_trace
from thunder.core.trace import TraceCtx
from thunder.core.transform_common import dce
from thunder.extend import Executor
from thunder_symbolic.vocabulary import wrap


@wrap("transform_for_execution")
def transform_for_execution(
    original: Callable[..., TraceCtx], trace: TraceCtx, executors_list: Sequence[Executor]
) -> TraceCtx:
    result = original(trace, executors_list)
    return dce(result) if is_symbolic_trace(trace) else result
