"""Subscripts of Python's own containers, without interpreting the call of ``__getitem__``.

Upstream interprets ``container[index]`` as a function of its own that looks the method up, binds it, unbinds it
and ends at the lookaside of the type's ``__getitem__``. That lookaside has all that the others pass on: here it is
called at once.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from thunder.core.interpreter import WrappedValue, get_interpretercompilectx, get_interpreterruntimectx

# Types whose method cannot be overridden, with the method that upstream finds for a bound one
_METHODS: dict[type, Any] = {
    dict: dict.__getitem__,
    OrderedDict: dict.__getitem__,
    list: list.__getitem__,
    tuple: tuple.__getitem__,
}


def direct_subscript(container: Any, index: Any) -> Any:
    """Return ``container[index]`` with its provenance, a signal where that raised, or None where it is not direct.

    Args:
        container: what is subscripted, as the interpreter wraps it.
        index: the index or key, wrapped too.
    """
    if not isinstance(container, WrappedValue):
        return None
    method = _METHODS.get(type(container.value))
    # An interpreter log shows every call
    if method is None or get_interpreterruntimectx()._record_history:
        return None
    for value in (container, index):
        if type(value.value) is tuple:
            value.track_items()  # as for all tuples that are passed to a function
    lookaside = get_interpretercompilectx().lookaside(method, container, index)
    return None if lookaside is None else lookaside(container, index)
