"""Patch to ``thunder.executors.torch_compile``: a region receives every number that its operations use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from thunder.core.compile_data import is_symbolic_trace
from thunder.core.symbol import BoundSymbol
from thunder.core.trace import TraceCtx, from_trace
from thunder.executors.torch_compile import TorchCompileExecutor
from thunder_symbolic.vocabulary import wrap


def _without_captures(executor: TorchCompileExecutor, bound_symbols: Sequence[BoundSymbol]) -> Iterator[BoundSymbol]:
    """Yield the operations; one whose decomposition uses more than its arguments runs whole, or is flattened."""
    from thunder.core.transforms.verifier import captured

    for bsym in bound_symbols:
        if bsym.sym.executor is not None or not captured(bsym):
            yield bsym
        elif executor.can_execute(bsym):
            yield bsym.from_bsym(subsymbols=())
        else:
            yield from _without_captures(executor, bsym.subsymbols)


@wrap("TorchCompileExecutor.fusion_pass")
def fusion_pass(
    original: Callable[[TorchCompileExecutor, TraceCtx], TraceCtx], self: TorchCompileExecutor, trace: TraceCtx
) -> TraceCtx:
    if not is_symbolic_trace(trace):
        return original(self, trace)
    explicit = from_trace(trace)
    explicit.bound_symbols = list(_without_captures(self, trace.bound_symbols))
    return original(self, explicit)
