"""What users of ``cache="symbolic values"`` call: look at guards and traces, and verify them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from thunder.core.explanation import Explanation
from thunder.core.recompile_limit import RecompileLimitWarning
from thunder.core.specializations import SpecializationCache
from thunder.core.symbol import BoundSymbol
from thunder.core.trace import TraceCtx
from thunder.core.transforms.guards import Guard, GuardRecorder
from thunder.core.transforms.marks import MarkedDimError
from thunder.core.transforms.number_operations import is_pure_number_operation, is_unpack
from thunder.core.transforms.verifier import TraceVerificationError, verify_trace

__all__ = [
    "Explanation",
    "MarkedDimError",
    "RecompileLimitWarning",
    "TraceVerificationError",
    "count_bound_symbols",
    "count_number_operations",
    "count_unpacks",
    "explain",
    "guards",
    "is_number_operation",
    "recorded_trace",
    "verify_trace",
]


def _not_symbolic(function: Any) -> ValueError:
    return ValueError(
        f"{function} has no specialization with symbolic values: "
        'call a function made by thunder.jit(..., cache="symbolic values") first'
    )


def _recorder(function: Callable[..., Any]) -> GuardRecorder:
    import thunder

    recorder = getattr(thunder.compile_stats(function), "guard_recorder", None)
    if recorder is None:
        raise _not_symbolic(function)
    return recorder


def explain(function: Callable[..., Any]) -> Explanation:
    """Return every specialization of ``function``: inputs, guards, hits, and what made it compile again.

    ``print(explain(function))`` shows a table, a notebook displays one, ``to_dict()`` gives plain data.

    Args:
        function: what ``thunder.jit(..., cache="symbolic values")`` returned; it need not have been called.

    Raises:
        ValueError: where ``function`` was not made with symbolic values.
    """
    import thunder

    stats = thunder.compile_stats(function)
    cache = getattr(stats, "interpreter_cache", None)
    if not isinstance(cache, SpecializationCache):
        raise _not_symbolic(function)
    return Explanation.of(cache, stats)


def guards(function: Callable[..., Any]) -> tuple[Guard, ...]:
    """Return the guards of the last specialization that ``function`` compiled.

    Args:
        function: what ``thunder.jit(..., cache="symbolic values")`` returned, called at least once.

    Raises:
        ValueError: where nothing was compiled with symbolic values.
    """
    return tuple(_recorder(function).guards)


def recorded_trace(function: Callable[..., Any]) -> TraceCtx:
    """Return the computation trace of the last specialization as the front end recorded it.

    The first of ``thunder.last_traces(function)`` is the same trace after the clean-up.

    Args:
        function: what ``thunder.jit(..., cache="symbolic values")`` returned, called at least once.

    Raises:
        ValueError: where nothing was compiled with symbolic values, or tracing failed.
    """
    trace = _recorder(function).recorded_trace
    if trace is None:
        raise ValueError(f"the last compilation of {function} failed before its trace was recorded")
    return trace


def is_number_operation(bsym: BoundSymbol) -> bool:
    """Return whether ``bsym`` computes numbers from numbers, or unpacks a shape, and does nothing else."""
    return is_pure_number_operation(bsym)


def _at_all_depths(bound_symbols: Iterable[BoundSymbol]) -> Iterable[BoundSymbol]:
    for bsym in bound_symbols:
        yield bsym
        yield from _at_all_depths(bsym.subsymbols)


def count_bound_symbols(trace: TraceCtx) -> int:
    """Return the number of bound symbols in ``trace``, those in subsymbols included."""
    return sum(1 for _ in _at_all_depths(trace.bound_symbols))


def count_unpacks(trace: TraceCtx) -> int:
    """Return the number of shape unpacks in ``trace``, those in subsymbols included."""
    return sum(1 for bsym in _at_all_depths(trace.bound_symbols) if is_unpack(bsym))


def count_number_operations(trace: TraceCtx) -> int:
    """Return the number of operations on numbers in ``trace``, unpacks aside, at all depths."""
    return sum(
        1 for bsym in _at_all_depths(trace.bound_symbols) if is_pure_number_operation(bsym) and not is_unpack(bsym)
    )
