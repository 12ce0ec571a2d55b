"""Primitives for what Python does with numbers and upstream has for tensors only."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from numbers import Number

from thunder.core.proxies import IntegerProxy, NumberProxy
from thunder.core.symbol import Symbol


def _extremum_symbol(name: str, function: Callable[..., int]) -> Symbol:
    def meta(a: Number | NumberProxy, b: Number | NumberProxy) -> IntegerProxy:
        """Return the extremum of two integers, one of them at least symbolic."""
        values = [x.value if isinstance(x, NumberProxy) else x for x in (a, b)]
        return IntegerProxy(None, None if None in values else function(*values))

    return Symbol(name=name, meta=meta, id=f"thunder_symbolic.{name}", is_prim=True)


def _round_meta(a: NumberProxy) -> IntegerProxy:
    """Return a float rounded half to even, as ``round`` does, to an integer."""
    value = a.value
    return IntegerProxy(None, None if value is None else builtins.round(value))


py_round = Symbol(name="py_round", meta=_round_meta, id="thunder_symbolic.py_round", is_prim=True)
py_min = _extremum_symbol("py_min", builtins.min)
py_max = _extremum_symbol("py_max", builtins.max)
