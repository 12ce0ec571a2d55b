"""Patch to ``thunder.executors.passes``: what executors hand over is cleaned as what they receive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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


@wrap("del_last_used")
def del_last_used(original: Callable[..., TraceCtx], trace: TraceCtx, **kwargs: Any) -> TraceCtx:
    result = original(trace, **kwargs)
    if is_symbolic_trace(trace):
        from thunder.core.transforms.verification import verify_if_asked

        verify_if_asked(result, "after the last uses are marked")
    return result
