"""What Python's own containers and numbers do, without a frame of the interpreter.

Upstream interprets ``container[index]``, ``len(x)``, ``bool(x)`` and the like as small functions of its own, which
look a method up, bind it, unbind it and end at the lookaside of the type's method. That lookaside has all that the
others pass on: here it is called at once. Types that a program may have overridden are left to upstream, as is a
compilation whose interpreter log or sharp edges are asked for, where each step shows.
"""

from __future__ import annotations

from collections import OrderedDict
from types import NoneType
from typing import Any

from thunder.core.interpreter import (
    INTERPRETER_SIGNALS,
    ProvenanceRecord,
    PseudoInst,
    WrappedValue,
    _interpret_call,
    get_interpretercompilectx,
    get_interpreterruntimectx,
    wrap,
    wrap_const,
)
from thunder.core.options import SHARP_EDGES_OPTIONS

# By exact type; an OrderedDict's method unbinds to that of dict
_CONTAINERS: dict[type, type] = {dict: dict, OrderedDict: dict, list: list, tuple: tuple}
_TRUTHS: dict[type, Any] = {kind: getattr(kind, "__bool__") for kind in (int, float, NoneType)}  # noqa: B009


def _method(container: Any, name: str) -> Any:
    """Return the method of a container that no program overrides, or None."""
    if not isinstance(container, WrappedValue) or get_interpreterruntimectx()._record_history:
        return None
    return getattr(_CONTAINERS.get(type(container.value)), name, None)


def _shows_sharp_edges() -> bool:
    from thunder.core.jit_ext import _jit_ctx

    context = _jit_ctx.get(None)
    return context is not None and context.sharp_edges is not SHARP_EDGES_OPTIONS.ALLOW


def direct_method(name: str, container: Any, *args: Any) -> Any:
    """Call the method ``name`` of a dict, list or tuple.

    Args:
        name: the method's name.
        container: what it is called on, as the interpreter wraps it.
        args: its arguments, wrapped too.

    Returns:
        Any: the wrapped result, a signal where the method raised, or None where upstream has to interpret the call.
    """
    method = _method(container, name)
    if method is None:
        return None
    for value in (container, *args):
        if type(value.value) is tuple:
            value.track_items()  # as for all tuples that are passed to a function
    lookaside = get_interpretercompilectx().lookaside(method, container, *args)
    return None if lookaside is None else lookaside(container, *args)


def direct_subscript(container: Any, index: Any) -> Any:
    """Return ``container[index]``, as ``direct_method`` does."""
    return direct_method("__getitem__", container, index)


def direct_length(x: Any) -> Any:
    """Return ``len(x)``, as ``direct_method`` does."""
    return None if _shows_sharp_edges() else direct_method("__len__", x)


def direct_truth(x: Any) -> Any:
    """Return ``bool(x)`` of a container, a number or None, as ``direct_method`` does."""
    if not isinstance(x, WrappedValue):
        return None
    function = _TRUTHS.get(type(x.value))
    if function is None:
        length = direct_length(x)
        if length is None or length is INTERPRETER_SIGNALS.EXCEPTION_RAISED:
            return length
        truth, inputs = length.value != 0, [wrap_const(0).provenance, length.provenance]
    else:
        if _shows_sharp_edges() or get_interpreterruntimectx()._record_history:
            return None
        truth, inputs = function(x.value), [wrap_const(function).provenance, x.provenance]
    return wrap(truth, provenance=ProvenanceRecord(PseudoInst.OPAQUE, inputs=inputs))


def direct_bound_method(method: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a bound method by its function and its object, all wrapped."""
    function = _interpret_call(getattr, method, wrap_const("__func__"))
    if function is INTERPRETER_SIGNALS.EXCEPTION_RAISED:
        return function
    itself = _interpret_call(getattr, method, wrap_const("__self__"))
    if itself is INTERPRETER_SIGNALS.EXCEPTION_RAISED:
        return itself
    return _interpret_call(function, itself, *args, **kwargs)
