"""Where Python's operations on numbers raise: a guard keeps the numbers of later calls from it.

An error may be caught by the program, and a number that nobody uses is not computed: so that no specialization runs
into an error, or passes over one, it serves only numbers on which the operation is defined. Left out are ints beyond
the range of floats.
"""

from __future__ import annotations

import math
from typing import Any

from thunder.core.compile_data import guard_recorder
from thunder.core.proxies import NumberProxy
from thunder.core.python_prims import kind_of
from thunder.core.transforms.expressions import Expression, apply, constant
from thunder.core.transforms.number_operations import expression_of

_TOTAL = frozenset(["add", "sub", "mul", "neg", "pos", "abs", "eq", "ne", "lt", "le", "gt", "ge", "min", "max", "not_"])
_TOTAL |= {"to_bool", "to_float", "isnan", "isinf", "isfinite", "isclose", "is_integer", "copysign", "nextafter", "ulp"}
_TOTAL |= {"atan", "atan2", "tanh", "erf", "erfc", "asinh", "degrees", "radians", "cbrt", "fabs", "hypot"}
_TOTAL_ON_INTS = frozenset(["and_", "or_", "xor", "invert", "to_int", "floor", "ceil", "trunc", "round", "gcd", "lcm"])
_TOTAL_ON_INTS |= {"bit_length", "bit_count"}
# The relation to zero that each takes its argument in
_DIVISIONS_AND_SHIFTS = frozenset(["truediv", "floordiv", "mod", "lshift", "rshift"])
_DOMAINS = {"sqrt": "ge", "log": "gt", "log2": "gt", "log10": "gt", "lshift": "ge", "rshift": "ge"}
_DOMAINS |= {"truediv": "ne", "floordiv": "ne", "mod": "ne"}
_OF_FINITE = frozenset(["floor", "ceil", "trunc", "round", "to_int", "sin", "cos", "tan"])
_BITS_OF_DIMS = 64
_BITS_OF_FLOATS = 1000


def keep_defined(op: str, args: tuple[Any, ...], result: NumberProxy) -> None:
    """Guard that an operation raises on no number that the guards let pass; it did not raise on those seen.

    Args:
        op: the name of an operation of expressions.
        args: the numbers that it was given.
        result: the proxy of its value.
    """
    recorder = guard_recorder()
    kinds = [kind_of(x) for x in args]
    if recorder is None or op in _TOTAL or (op in _TOTAL_ON_INTS and float not in kinds):
        return
    operands = [expression_of(x) for x in args]
    expressions = [operand for operand in operands if operand is not None]
    if complex in kinds or len(expressions) < len(args):
        for x in args:
            if isinstance(x, NumberProxy):
                recorder.read(x)
        return
    decisive = expressions[-1]
    relation = _DOMAINS.get(op) if len(args) == 1 or op in _DIVISIONS_AND_SHIFTS else None
    number = args[-1]._value if isinstance(args[-1], NumberProxy) else args[-1]
    if relation is not None and not math.isnan(number):
        recorder.require(apply(relation, decisive, constant(decisive.kind(0))))
    elif op in _OF_FINITE and len(args) == 1 and math.isfinite(number):
        if not _is_finite(decisive):
            recorder.require(apply("isfinite", decisive))
    else:
        # The guard computes the value: where that raises, another specialization is due
        value = apply(op, *expressions)
        recorder.require(apply("or_", apply("eq", value, value), apply("ne", value, value)))


def _is_finite(e: Expression) -> bool:
    bits = _magnitude(e)
    return bits is not None and bits < _BITS_OF_FLOATS


def _magnitude(e: Expression) -> float | None:
    """Return a bound of the base-2 logarithm of the absolute value of dims and what is made of them, or None."""
    if e.op == "const":
        return math.log2(abs(e.value) + 1) if math.isfinite(e.value) else None
    if e.op == "symbol":
        return _BITS_OF_DIMS if e.kind is int and e.bounds[0] is not None else None
    parts = [_magnitude(arg) for arg in e.args]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if e.op in ("add", "sub", "min", "max", "abs", "neg", "to_float", "sqrt", "log", "log2", "log10", "to_int"):
        return max(known) + len(known)
    if e.op == "mul":
        return sum(known)
    # A divisor that is an int is at least 1
    return known[0] if e.op in ("floordiv", "mod", "truediv") and e.args[1].kind is int else None
