"""Patch to ``thunder.core.compile_data``: the recorder of the specialization being compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from thunder.core.compile_data import _compile_data, using_symbolic_values
from thunder_symbolic.vocabulary import add

if TYPE_CHECKING:
    from thunder.core.trace import TraceCtx
    from thunder.core.transforms.guards import GuardRecorder


@add("guard_recorder")
def guard_recorder() -> GuardRecorder | None:
    """Return the recorder of the specialization being compiled, or None outside symbolic values."""
    stats = _compile_data.get()[1]
    return None if stats is None else stats.__dict__.get("guard_recorder")


@add("quietly")
def quietly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call ``function``; what it reads of numbers is only shown, and decides nothing."""
    recorder = guard_recorder()
    if recorder is None:
        return function(*args, **kwargs)
    with recorder.quiet():
        return function(*args, **kwargs)


@add("is_symbolic_trace")
def is_symbolic_trace(trace: TraceCtx) -> bool:
    """Return whether the passes on dims apply to ``trace``: a prologue reads Python objects, not dims."""
    signature = trace._siginfo
    if signature is not None and signature.name == "prologue":
        return False
    return using_symbolic_values() or _has_symbolic_inputs(trace)


def _has_symbolic_inputs(trace: TraceCtx) -> bool:
    # A trace that a user keeps outlives the options that it was compiled with
    from thunder.core.baseutils import NumberProxyInterface
    from thunder.core.pytree import tree_iter

    return any(
        isinstance(dim, NumberProxyInterface)
        for proxy in tree_iter((trace.args, trace.kwargs))
        for dim in getattr(proxy, "__dict__", {}).get("_shape", ())
    )
