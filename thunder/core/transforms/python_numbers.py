"""Python's own operations on numbers, where a program may stay symbolic without a decision."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from thunder.core.compile_data import guard_recorder
from thunder.core.proxies import IntegerProxy, NumberProxy
from thunder.core.python_prims import python_symbol
from thunder.core.transforms.expressions import Expression, apply
from thunder.core.transforms.number_operations import expression_of


def is_integer(x: Any) -> bool:
    """Return whether ``x`` is an int or stands for one, bools aside."""
    return type(x) is int or (isinstance(x, IntegerProxy) and x.python_type is int)


def canonical(x: Any) -> Expression | None:
    """Return the expression that stands for all those known to equal ``x``, or None where ``x`` has none."""
    recorder, expression = guard_recorder(), expression_of(x)
    return expression if recorder is None or expression is None else recorder.canonical(expression)


def folded(x: Any) -> Any:
    """Return the Python number that ``x`` is known to equal, without a decision, or else ``x``."""
    known = canonical(x)
    return known.value if known is not None and known.op == "const" else x


def identical(a: Any, b: Any) -> bool:
    """Return whether ``a`` and ``b`` are known to be equal, without a decision."""
    if a is b:
        return True
    left, right, recorder = canonical(a), canonical(b), guard_recorder()
    if left is None or right is None:
        return False
    return left is right or (recorder is not None and recorder.implies(apply("eq", left, right)) is True)


def derive(condition: Any) -> None:
    """Take ``condition``, which follows from the guards so far by a proof of the caller's, as decided."""
    recorder, expression = guard_recorder(), expression_of(condition)
    if recorder is not None and expression is not None and isinstance(condition, NumberProxy):
        recorder.facts.derive(apply("to_bool", expression))


def identical_shapes(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Return whether two shapes are known to be equal, without a decision."""
    return len(a) == len(b) and all(map(identical, a, b))


def equal_shapes(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Return whether two shapes are equal, deciding only on dims of shapes of one rank."""
    return len(a) == len(b) and all(identical(x, y) or bool(x == y) for x, y in zip(a, b))


def _extremum(op: str, function: Callable[..., int], a: Any, b: Any) -> Any:
    if not isinstance(a, NumberProxy) and not isinstance(b, NumberProxy):
        return function(a, b)
    left, right = canonical(a), canonical(b)
    recorder = guard_recorder()
    if left is not None and right is not None and recorder is not None:
        either = apply(op, left, right)
        if either is left or recorder.implies(apply("le" if op == "min" else "ge", left, right)):
            return a
        if either is right or recorder.implies(apply("le" if op == "min" else "ge", right, left)):
            return b
        if either.op == "const":
            return either.value
    return python_symbol(op)(a, b)


def minimum(a: Any, b: Any) -> Any:
    """Return the smaller of two integers, symbolic where the guards do not tell which it is."""
    return _extremum("min", builtins.min, a, b)


def maximum(a: Any, b: Any) -> Any:
    """Return the larger of two integers, symbolic where the guards do not tell which it is."""
    return _extremum("max", builtins.max, a, b)


def product(numbers: Iterable[Any]) -> Any:
    """Return the product of integers, 1 where there are none."""
    result: Any = 1
    for number in numbers:
        result = result * number
    return result
