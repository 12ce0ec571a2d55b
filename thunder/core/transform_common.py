"""Patch to ``thunder.core.transform_common``: dead code and common subexpressions on symbolic traces."""

from __future__ import annotations

from collections.abc import Callable

from thunder.core.compile_data import is_symbolic_trace
from thunder.core.proxies import Variable
from thunder.core.trace import TraceCtx
from thunder_symbolic.vocabulary import wrap


@wrap("dce")
def dce(original: Callable[..., TraceCtx], trace: TraceCtx, needed_proxies: set[Variable] | None = None) -> TraceCtx:
    if not is_symbolic_trace(trace):
        return original(trace, needed_proxies)
    from thunder.core.transforms.clean_up import clean_up
    from thunder.core.transforms.dead_code import eliminate_dead_code
    from thunder.core.transforms.verification import verify_if_asked

    return verify_if_asked(eliminate_dead_code(clean_up(trace), needed_proxies), "after dead code elimination")


@wrap("cse")
def cse(original: Callable[[TraceCtx], TraceCtx], trace: TraceCtx) -> TraceCtx:
    if not is_symbolic_trace(trace):
        return original(trace)
    from thunder.core.transforms.clean_up import clean_up
    from thunder.core.transforms.verification import verify_if_asked

    return verify_if_asked(clean_up(original(trace)), "after common subexpression elimination")
