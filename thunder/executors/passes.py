"""Patch to ``thunder.executors.passes``: what executors hand over is cleaned as what they receive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from thunder.core import prims
from thunder.core.compile_data import is_symbolic_trace
from thunder.core.symbol import BoundSymbol, has_tags
from thunder.core.trace import TraceCtx, from_trace
from thunder.core.transform_common import dce
from thunder.extend import Executor
from thunder_symbolic.vocabulary import wrap


def _without_decomposition(bsym: BoundSymbol) -> BoundSymbol:
    if bsym.sym.is_fusion:
        return bsym.from_bsym(subsymbols=[inner.from_bsym(subsymbols=()) for inner in bsym.subsymbols])
    if bsym.sym.executor is None or has_tags(bsym, {prims.OpTags.DONT_DCE}):
        return bsym
    return bsym.from_bsym(subsymbols=())


def _without_decompositions(trace: TraceCtx) -> TraceCtx:
    """Return ``trace`` where claimed operations keep no decomposition, and so no use of a dim that never runs."""
    new_trace = from_trace(trace)
    new_trace.bound_symbols = [_without_decomposition(bsym) for bsym in trace.bound_symbols]
    new_trace.set_provenance(trace.get_provenance())
    return new_trace


@wrap("transform_for_execution")
def transform_for_execution(
    original: Callable[..., TraceCtx], trace: TraceCtx, executors_list: Sequence[Executor]
) -> TraceCtx:
    result = original(trace, executors_list)
    return dce(_without_decompositions(result)) if is_symbolic_trace(trace) else result


@wrap("del_last_used")
def del_last_used(original: Callable[..., TraceCtx], trace: TraceCtx, **kwargs: Any) -> TraceCtx:
    result = original(trace, **kwargs)
    if is_symbolic_trace(trace):
        from thunder.core.transforms.verification import verify_if_asked

        verify_if_asked(result, "after the last uses are marked")
    return result
