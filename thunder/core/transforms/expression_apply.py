"""Operations on expressions: from a name and arguments to the normal form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from thunder.core.transforms.expression_bounds import LARGEST_BITS
from thunder.core.transforms.expression_logic import LOGIC_RULES, logic
from thunder.core.transforms.expression_nodes import (
    OPERATIONS,
    Expression,
    Kind,
    KindRule,
    Operation,
    constant,
    make,
    postorder,
)
from thunder.core.transforms.expression_rules import INTEGER_RULES, as_int

_ASSOCIATIVE = frozenset(["add", "mul", "and_", "or_", "xor"])
_FLOATS = frozenset(["truediv", "to_float", "sqrt", "exp", "log", "log2", "const", "symbol"])
_ANY_KIND = frozenset(["eq", "ne", "lt", "le", "gt", "ge", "not_", "to_bool"])


def apply(op: str, *args: Expression) -> Expression:
    """Return the normal form of an operation.

    Args:
        op: its name: add, sub, mul, truediv, floordiv, mod, pow, neg, pos, abs; eq, ne, lt, le, gt, ge; min, max;
            and_, or_, xor, invert, lshift, rshift; not_; to_int, to_float, to_bool; floor, ceil, round, trunc; sqrt,
            exp, log, log2; or what was given to `register`.
        args: its arguments. Their values are computed before the operation: no argument short-circuits another.

    Raises:
        ValueError: the operation is not known.
    """
    operation = OPERATIONS.get(op)
    if operation is None:
        raise ValueError(f"unknown operation {op!r}: register it first")
    if len(args) > 2 and op in _ASSOCIATIVE:
        return reduce(lambda x, y: apply(op, x, y), args)
    kinds = [arg.kind for arg in args]
    if all(arg.op == "const" for arg in args):
        folded = _fold(op, operation, [arg.value for arg in args])
        if folded is not None:
            return folded
    if op in _ANY_KIND or float not in kinds:
        if op in LOGIC_RULES:
            return LOGIC_RULES[op](*args)
        if op in ("min", "max") and int not in kinds:
            return logic("and_" if op == "min" else "or_", *args)
        if op in INTEGER_RULES:
            return INTEGER_RULES[op](*map(as_int, args))
    if op == "to_float" and args[0].kind is float and args[0].op in _FLOATS:
        return args[0]
    return make(op, args, operation.kind(*kinds))


def _fold(op: str, operation: Operation, values: Sequence[Any]) -> Expression | None:
    if op in ("pow", "lshift") and all(isinstance(value, int) for value in values):
        base = values[0].bit_length() if op == "pow" else 1
        if base * values[1] > LARGEST_BITS:
            return None
    try:
        value = operation.function(*values)
    except (ArithmeticError, TypeError, ValueError):
        return None  # It raises where it is computed, not here
    return constant(value) if isinstance(value, (int, float)) else None


def register(op: str, function: Callable[..., Any], kind_of_result: Kind | KindRule) -> None:
    """Make an operation known to `apply`.

    Args:
        op: its name.
        function: the pure Python function that computes it; `emit` writes those of ``math`` and builtins only.
        kind_of_result: int, float or bool, or a function from the kinds of the arguments to one of them.

    Raises:
        ValueError: another function has that name already.
    """
    known = OPERATIONS.get(op)
    if known is not None and known.function is not function:
        raise ValueError(f"operation {op!r} is known already")
    rule: KindRule = (lambda *kinds: kind_of_result) if isinstance(kind_of_result, type) else kind_of_result
    OPERATIONS[op] = known or Operation(function, rule)


def rebuild(e: Expression, replacements: Mapping[Expression, Expression]) -> Expression:
    """Return ``e`` with symbols replaced, in normal form."""
    done: dict[Expression, Expression] = {}
    for node in postorder((e,)):
        args = [done[arg] for arg in node.args]
        if all(new is old for new, old in zip(args, node.args)):
            done[node] = replacements.get(node, node)
        else:
            done[node] = apply(node.op, *args)
    return done[e]
