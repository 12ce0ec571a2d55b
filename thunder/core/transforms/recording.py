"""What was recorded in a trace already, so that it need not be recorded again."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thunder.core.proxies import TensorProxy
from thunder.core.trace import get_tracectx

if TYPE_CHECKING:
    from thunder.core.symbol import BoundSymbol
    from thunder.core.trace import TraceCtx


@dataclass
class _Recording:
    """What one trace has recorded.

    Attributes:
        unpacks: by tensor name and scope, the scope (so that its id stays its own) and the unpack's position in it.
        counts: by tensor name, a tensor and its number of elements, computed where nothing is recorded.
    """

    unpacks: dict[tuple[str, int], tuple[list[BoundSymbol], int]] = field(default_factory=dict)
    counts: dict[str, tuple[TensorProxy, Any]] = field(default_factory=dict)


_recordings: weakref.WeakKeyDictionary[TraceCtx, _Recording] = weakref.WeakKeyDictionary()


def _recording(trace: TraceCtx) -> _Recording:
    found = _recordings.get(trace)
    if found is None:
        found = _recordings[trace] = _Recording()
    return found


def records() -> bool:
    """Return whether an operation would be recorded now: inside a primitive none is."""
    trace = get_tracectx()
    return trace is not None and trace.peek_scope() is not None


def unpack(tensor: TensorProxy) -> Any:
    """Return the dims of ``tensor``, unpacked in the current scope: by a new bound symbol where none does yet."""
    from thunder.core import prims

    trace = get_tracectx()
    scope: list[BoundSymbol] | None = None if trace is None else trace.peek_scope()
    if trace is None or scope is None:
        return tensor._shape
    unpacks = _recording(trace).unpacks
    key = (tensor.name, id(scope))
    position = unpacks[key][1] if key in unpacks else len(scope)
    if position < len(scope):  # where nothing took it out again
        bsym = scope[position]
        if bsym.sym is prims.shape and bsym.args[0] is tensor:
            return tensor._shape
    dims = prims.shape(tensor)
    unpacks[key] = (scope, len(scope) - 1)
    return dims


def unrecorded_count(tensor: TensorProxy, multiply: Any) -> Any:
    """Return the number of elements of ``tensor`` where nothing is recorded; ``multiply`` computes it, once."""
    trace = get_tracectx()
    counts = _recording(trace).counts
    known, count = counts.get(tensor.name, (None, None))
    if known is not tensor:
        count = multiply(tensor._shape)
        counts[tensor.name] = (tensor, count)
    return count
