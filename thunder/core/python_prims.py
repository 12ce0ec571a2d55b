"""Primitives for what Python does with numbers: upstream's are those of tensors, which round and promote otherwise."""

from __future__ import annotations

from functools import cache
from numbers import Number
from typing import Any

from thunder.core.proxies import CONSTRAINT, ComplexProxy, FloatProxy, IntegerProxy, NumberProxy
from thunder.core.symbol import Symbol
from thunder.core.transforms.expression_nodes import OPERATIONS
from thunder.executors.pythonex import ex

_PREFIX = "thunder_symbolic.py_"
_PROXIES: dict[type, type[NumberProxy]] = {
    bool: IntegerProxy,
    int: IntegerProxy,
    float: FloatProxy,
    complex: ComplexProxy,
}


def kind_of(x: Any) -> type | None:
    """Return the Python type of a number or of what a proxy stands for; None for anything else, subclasses too."""
    kind = x.python_type if isinstance(x, NumberProxy) else type(x)
    return kind if kind in _PROXIES else None


def number_proxy(value: Number) -> NumberProxy:
    """Return a fresh proxy of the type of ``value``."""
    return _PROXIES[type(value)](None, value, constraint=CONSTRAINT.CONSTRAINABLE)


@cache
def python_symbol(op: str) -> Symbol:
    """Return the primitive that computes an operation on numbers as Python does; ``op`` names it in expressions."""
    operation = OPERATIONS[op]

    def meta(*args: Number | NumberProxy) -> NumberProxy:
        values = [x.value if isinstance(x, NumberProxy) else x for x in args]
        if not any(value is None for value in values):
            return number_proxy(operation.function(*values))
        kind = operation.kind(*map(kind_of, args))
        proxy = _PROXIES[kind](None, None)
        proxy.python_type = kind
        return proxy

    meta.__doc__ = f"Return a proxy of the number that ``{op}`` of numbers is."
    name = f"py_{op}"
    symbol = Symbol(name=name, meta=meta, id=f"{_PREFIX}{op}", is_prim=True)
    implementation = ex.register_operator(f"python_{op}", like=symbol, fn=operation.function)
    ex.register_implementation(symbol, implementation)
    return symbol


def python_operation(primitive: Any) -> str | None:
    """Return the operation that a primitive of this module, given by its id, computes; None for any other."""
    ours = isinstance(primitive, str) and primitive.startswith(_PREFIX)
    return primitive.removeprefix(_PREFIX) if ours else None
