"""The normal form of comparisons and of logic."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from thunder.core.transforms.expression_nodes import OPERATIONS, Expression, constant, make
from thunder.core.transforms.expression_polynomials import (
    ONE,
    ZERO,
    build,
    combine,
    content,
    leading,
    scale,
    shift,
    terms_of,
)
from thunder.core.transforms.expression_rules import as_int, atom, invert, modulo_constant

TRUE, FALSE = constant(True), constant(False)
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def compares_ints(e: Expression) -> bool:
    """Return whether ``e`` is a comparison of ints."""
    return e.op in _MIRRORED and e.args[0].kind is not float and e.args[1].kind is not float


# Comparisons


def _nonnegative(p: Expression) -> Expression:
    terms = terms_of(p)
    offset = terms.pop((), 0)
    factor = content(terms.values())
    p = build({**{monomial: number // factor for monomial, number in terms.items()}, (): offset // factor})
    lower, upper = p.bounds
    if not p.raises:
        if lower is not None and lower >= 0:
            return TRUE
        if upper is not None and upper < 0:
            return FALSE
    if upper == 0:
        return _zero(p)
    if leading(terms_of(p)) < 0:
        return _relation("le", scale(p, -1))
    return _relation("ge", p)


def _zero(p: Expression, negate: bool = False) -> Expression:
    terms = terms_of(p)
    factor = content(number for monomial, number in terms.items() if monomial)
    if leading(terms) < 0:
        factor = -factor
    divisible = terms.get((), 0) % factor == 0
    if divisible:
        p = build({monomial: number // factor for monomial, number in terms.items()})
    lower, upper = p.bounds
    if not p.raises:
        if not divisible or (lower is not None and lower > 0) or (upper is not None and upper < 0):
            return TRUE if negate else FALSE
        if lower == upper == 0:
            return FALSE if negate else TRUE
    if not negate:
        return _relation("eq", p)
    if lower == 0:
        return _nonnegative(shift(p, -1))
    if upper == 0:
        return _nonnegative(shift(scale(p, -1), -1))
    return _relation("ne", p)


def _relation(op: str, p: Expression) -> Expression:
    terms = terms_of(p)
    offset = terms.pop((), 0)
    right = {monomial: -number for monomial, number in terms.items() if number < 0}
    left = {monomial: number for monomial, number in terms.items() if number >= 0}
    if offset > 0 and right:
        left[()] = offset
    elif offset:
        right[()] = -offset
    lhs, rhs = build(left), build(right)
    if lhs.op == "to_int" and lhs.args[0].kind is bool:
        if rhs is ONE and op != "le":
            return lhs.args[0] if op != "ne" else negation(lhs.args[0])
        if rhs is ZERO and op == "eq":
            return negation(lhs.args[0])
    return make(op, (lhs, rhs), bool)


def _compare_ints(op: str, p: Expression) -> Expression:
    """Return ``p op 0``."""
    if op == "ge":
        return _nonnegative(p)
    if op == "gt":
        return _nonnegative(shift(p, -1))
    if op == "le":
        return _nonnegative(scale(p, -1))
    if op == "lt":
        return _nonnegative(shift(scale(p, -1), -1))
    return _zero(p, negate=op == "ne")


def compare(op: str, x: Expression, y: Expression) -> Expression:
    """Return the normal form of a comparison."""
    if x.kind is not float and y.kind is not float:
        return _compare_ints(op, combine(as_int(x), as_int(y), -1))
    if (x.op == "const") != (y.op == "const"):
        swap = x.op == "const"
    else:
        swap = op in ("gt", "ge") or (op in ("eq", "ne") and y.order < x.order)
    if swap:
        op, x, y = _MIRRORED[op], y, x
    if y.op == "const" and x.kind is not float and not x.raises:
        return _compare_with_float(op, as_int(x), y.value)
    return make(op, (x, y), bool)


def _compare_with_float(op: str, x: Expression, number: float) -> Expression:
    if not math.isfinite(number):
        return constant(OPERATIONS[op].function(0, number))
    if op in ("eq", "ne") and not number.is_integer():
        return constant(op == "ne")
    nearest = math.ceil(number) if op in ("ge", "lt") else math.floor(number)
    return _compare_ints(op, shift(x, -nearest))


# Bits and logic


def _bits(op: str, x: Expression, y: Expression) -> Expression:
    if x.kind is bool and y.kind is bool:
        return logic(op, x, y)
    x, y = sorted((as_int(x), as_int(y)), key=lambda e: e.order)
    if x is y:
        return scale(x, 0) if op == "xor" else x
    if x.op == "const":
        number = x.value
        if op == "and_" and number >= 0 and number & (number + 1) == 0:
            return modulo_constant(y, number + 1)
        if number == (-1 if op == "and_" else 0):
            return y
        if number == -1:
            return invert(y) if op == "xor" else combine(x, y, 0)
    return atom(op, x, y)


def logic(op: str, *args: Expression) -> Expression:
    """Return the normal form of "and_", "or_" or "xor" of bools."""
    if op == "xor":
        return compare("ne", *args)
    neutral, absorbing = (TRUE, FALSE) if op == "and_" else (FALSE, TRUE)
    parts: dict[Expression, None] = {}
    for arg in args:
        parts.update(dict.fromkeys(arg.args if arg.op == op else (arg,)))
    parts.pop(neutral, None)
    if absorbing in parts or any(not part.raises and negation(part) in parts for part in parts):
        parts = {absorbing: None, **{part: None for part in parts if part.raises}}
    kept = sorted(parts, key=lambda e: e.order)
    return neutral if not kept else kept[0] if len(kept) == 1 else make(op, tuple(kept), bool)


def negation(e: Expression) -> Expression:
    """Return the normal form of ``not e``."""
    if e.op == "const":
        return constant(not e.value)
    if e.kind is not bool:
        return compare("eq", e, constant(0.0) if e.kind is float else ZERO)
    if e.op == "not_":
        return e.args[0]
    if e.op in ("and_", "or_"):
        return logic("or_" if e.op == "and_" else "and_", *map(negation, e.args))
    if e.op in ("eq", "ne"):
        return compare("ne" if e.op == "eq" else "eq", *e.args)
    if compares_ints(e):
        return compare("lt" if e.op == "ge" else "gt", *e.args)
    return make("not_", (e,), bool)


def _truth(e: Expression) -> Expression:
    return e if e.kind is bool else negation(negation(e))


LOGIC_RULES: dict[str, Callable[..., Expression]] = {
    **{op: partial(compare, op) for op in _MIRRORED},
    **{op: partial(_bits, op) for op in ("and_", "or_", "xor")},
    "not_": negation,
    "to_bool": _truth,
}
