"""Python's builtins and ``math`` functions on symbolic numbers, where the program need not decide."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from thunder.core.proxies import NumberProxy, TensorProxy
from thunder.core.python_prims import kind_of
from thunder.core.transforms.expression_nodes import OPERATIONS
from thunder.core.transforms.python_arithmetic import operate
from thunder.core.transforms.python_numbers import is_integer, maximum, minimum

# From a function to the operation that it computes, whatever the number of its arguments
_OPERATIONS: dict[Any, str] = {
    operation.function: op for op, operation in OPERATIONS.items() if getattr(math, op, None) is operation.function
}
_OPERATIONS |= {math.pow: "math_pow", math.log: "log", builtins.int: "to_int", builtins.float: "to_float"}


def _length(a: TensorProxy) -> Any:
    return a.shape[0] if a._shape else a.__len__()


def _rounded(x: Any, digits: Any = None) -> Any:
    return operate("round", x) if digits is None else operate("round", x, digits)


def _power(base: Any, exponent: Any, modulus: Any = None) -> Any:
    return base**exponent if modulus is None else operate("powmod", base, exponent, modulus)


def _product(factors: Sequence[Any]) -> Any:
    return reduce(lambda x, y: x * y, factors, 1)


def _extremum(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def call(*numbers: Any) -> Any:
        return reduce(function, numbers if len(numbers) > 1 else numbers[0])

    return call


_OF_NUMBERS: dict[Callable[..., Any], Callable[..., Any]] = {builtins.round: _rounded, builtins.pow: _power}
_OF_NUMBERS |= {builtins.divmod: divmod, builtins.abs: abs}
_OF_INTEGERS: dict[Callable[..., Any], Callable[..., Any]] = {
    builtins.min: _extremum(minimum),
    builtins.max: _extremum(maximum),
}


def _are_numbers(values: Sequence[Any]) -> bool:
    """Return whether all of ``values`` are numbers, one of them at least symbolic."""
    return all(kind_of(x) is not None or x is None for x in values) and any(isinstance(x, NumberProxy) for x in values)


def symbolic_builtin(function: Any, arguments: Sequence[Any]) -> Callable[..., Any] | None:
    """Return what computes ``function(*arguments)`` without a decision, or None where nothing does.

    Args:
        function: a hashable callable that the traced program calls.
        arguments: its positional arguments, as proxies where they stand for inputs.
    """
    if function is len and len(arguments) == 1 and isinstance(arguments[0], TensorProxy):
        return _length
    if _are_numbers(arguments):
        op = _OPERATIONS.get(function)
        if op is not None and None not in [kind_of(x) for x in arguments]:
            return lambda *numbers: operate(op, *numbers)
        if function in _OF_NUMBERS:
            return _OF_NUMBERS[function]
    if function in _OF_INTEGERS:
        numbers = arguments[0] if len(arguments) == 1 else arguments
        if isinstance(numbers, (tuple, list)) and numbers and all(map(is_integer, numbers)):
            return _OF_INTEGERS[function] if any(isinstance(n, NumberProxy) for n in numbers) else None
    if function is math.prod and len(arguments) == 1 and isinstance(arguments[0], (tuple, list)):
        return _product if _are_numbers(arguments[0]) and None not in arguments[0] else None
    return None
