"""Python's builtins and ``math`` functions on symbolic numbers, where the program need not decide."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from thunder.core import prims
from thunder.core.compile_data import guard_recorder
from thunder.core.proxies import NumberProxy, TensorProxy
from thunder.core.python_prims import py_round
from thunder.core.symbol import Symbol
from thunder.core.transforms.expressions import apply, constant
from thunder.core.transforms.number_operations import expression_of
from thunder.core.transforms.python_numbers import as_float, as_int, is_integer, maximum, minimum


def rounded(name: str, x: NumberProxy) -> Any:
    """Return the integer that ``ceil``, ``floor``, ``trunc`` or ``round`` makes of ``x``."""
    if is_integer(x) or name == "trunc":
        return as_int(x)
    return py_round(x) if name == "round" else getattr(prims, name)(x)


def _real_function(symbol: Symbol, domain: str) -> Callable[[Any], Any]:
    def call(x: NumberProxy) -> Any:
        expression, recorder = expression_of(x), guard_recorder()
        # Outside the domain Python raises, and the next call may be outside
        if expression is not None and recorder is not None:
            recorder.require(apply(domain, expression, constant(expression.kind(0))))
        elif recorder is not None:
            recorder.read(x)
        return symbol(as_float(x))

    return call


def _length(a: TensorProxy) -> Any:
    return a.shape[0] if a._shape else a.__len__()


def _extremum(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def call(*numbers: Any) -> Any:
        return reduce(function, numbers if len(numbers) > 1 else numbers[0])

    return call


_OF_ONE_NUMBER: dict[Callable[..., Any], Callable[[Any], Any]] = {
    builtins.int: as_int,
    builtins.float: as_float,
    math.ceil: lambda x: rounded("ceil", x),
    math.floor: lambda x: rounded("floor", x),
    math.trunc: lambda x: rounded("trunc", x),
    builtins.round: lambda x: rounded("round", x),
    math.sqrt: _real_function(prims.sqrt, "ge"),
    math.log: _real_function(prims.log, "gt"),
    math.log2: _real_function(prims.log2, "gt"),
    math.log10: _real_function(prims.log10, "gt"),
}
_OF_INTEGERS: dict[Callable[..., Any], Callable[..., Any]] = {
    builtins.min: _extremum(minimum),
    builtins.max: _extremum(maximum),
}


def symbolic_builtin(function: Any, arguments: Sequence[Any]) -> Callable[..., Any] | None:
    """Return what computes ``function(*arguments)`` without a decision, or None where nothing does.

    Args:
        function: a hashable callable that the traced program calls.
        arguments: its positional arguments, as proxies where they stand for inputs.
    """
    if len(arguments) == 1:
        (argument,) = arguments
        if function is len and isinstance(argument, TensorProxy):
            return _length
        if function in _OF_ONE_NUMBER:
            real = isinstance(argument, NumberProxy) and argument.python_type in (int, float)
            return _OF_ONE_NUMBER[function] if real and _defined(function, argument) else None
    if function in _OF_INTEGERS:
        numbers = arguments[0] if len(arguments) == 1 else arguments
        if isinstance(numbers, (tuple, list)) and numbers and all(map(is_integer, numbers)):
            return _OF_INTEGERS[function] if any(isinstance(n, NumberProxy) for n in numbers) else None
    return None


def _defined(function: Callable[[Any], Any], number: NumberProxy) -> bool:
    """Return whether Python computes ``function`` of the value seen: where not, its own error is raised."""
    recorder = guard_recorder()
    assert recorder is not None
    with recorder.quiet():
        try:
            function(number.value)
        except (ArithmeticError, ValueError):
            return False
    return True
