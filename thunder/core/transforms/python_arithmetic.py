"""Python's operations on numbers: exact, symbolic, and with a guard only on what decides type or error."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

from thunder.core import prims
from thunder.core.compile_data import guard_recorder
from thunder.core.proxies import NumberProxy
from thunder.core.python_prims import kind_of, python_symbol
from thunder.core.transforms.expression_nodes import OPERATIONS
from thunder.core.transforms.expressions import apply, constant
from thunder.core.transforms.number_operations import expression_of
from thunder.core.transforms.python_domains import keep_defined

_DIVISIONS = frozenset(["truediv", "floordiv", "mod"])
_SHIFTS = frozenset(["lshift", "rshift"])

# Upstream's primitives that are exact on ints: executors know them
_OF_INTS = {name: name for name in ("add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge")}
_OF_INTS |= {"floordiv": "py_floordiv", "mod": "remainder"}
_SAME = frozenset(["pos", "floor", "ceil", "trunc", "round", "to_int"])


def seen(x: Any) -> Any:
    """Return the value that ``x``, a number or a proxy, has on the inputs that are traced: no decision."""
    return x._value if isinstance(x, NumberProxy) else x


def value_of(x: Any) -> Any:
    """Return ``x`` as a Python value: where it is symbolic, it is guarded to be this one."""
    return x.value if isinstance(x, NumberProxy) else x


def operate(op: str, *args: Any) -> Any:
    """Return the value of an operation on numbers, of which one at least is symbolic.

    Args:
        op: the name of an operation of expressions.
        args: ints, floats, bools and complex numbers, or proxies of them.

    Raises:
        Exception: what Python raises on the numbers that are traced; a guard holds what made it raise.
    """
    values = [seen(x) for x in args]
    if any(value is None for value in values):
        return python_symbol(op)(*args)
    try:
        result = OPERATIONS[op].function(*values)
    except (ArithmeticError, ValueError):
        _keep_error(op, args, values)
        raise
    kinds = [kind_of(x) for x in args]
    if len(args) == 1 and kinds[0] is int and op in _SAME:
        return args[0]
    if op == "to_float" and kinds[0] is float:
        return args[0]
    if op in _OF_INTS and all(kind is int for kind in kinds):
        return getattr(prims, _OF_INTS[op])(*args)
    if op in ("pow", "ldexp"):
        _keep_type(args, result)
    number = python_symbol(op)(*args)
    keep_defined(op, args, number)
    return number


def _require(relation: str, number: Any) -> None:
    """Guard ``number relation 0``, which holds now, in the weakest way there is."""
    recorder = guard_recorder()
    expression = expression_of(number)
    if recorder is None or not isinstance(number, NumberProxy):
        return
    if expression is None:
        recorder.read(number)
    else:
        recorder.require(apply(relation, expression, constant(expression.kind(0))))


def _keep_error(op: str, args: tuple[Any, ...], values: list[Any]) -> None:
    """Guard what made Python raise: a program may catch the error and go on."""
    if op in _DIVISIONS and values[1] == 0:
        _require("eq", args[1])
    elif op in _SHIFTS and values[1] < 0:
        _require("lt", args[1])
    else:
        for x in args:
            value_of(x)


def _keep_type(args: tuple[Any, ...], result: Any) -> None:
    """Guard that a power stays of the type that it is: an int, a float or a complex number."""
    base, exponent = args
    kinds = [kind_of(x) for x in args]
    if complex in kinds:
        return
    if float not in kinds:
        _require("ge" if seen(exponent) >= 0 else "lt", exponent)
    elif isinstance(exponent, NumberProxy) or not float(exponent).is_integer():
        # A negative base has a complex power, but for an integer
        if seen(base) >= 0:
            _require("ge", base)
        else:
            value_of(base)
            value_of(exponent)


def binary(op: str, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Return what a binary operator of Python yields, ``NotImplemented`` where the other operand has to know.

    Args:
        op: the operation, or "divmod".
        function: the Python function of the operator.
        a: a number, a proxy of one, or anything else.
        b: likewise; one of the two is a proxy.
    """
    if kind_of(a) is not None and kind_of(b) is not None:
        if op == "divmod":
            return operate("floordiv", a, b), operate("mod", a, b)
        return operate(op, a, b)
    if all(isinstance(x, (Number, NumberProxy)) for x in (a, b)):
        # Numbers of other libraries have rules of their own
        return function(value_of(a), value_of(b))
    return NotImplemented
