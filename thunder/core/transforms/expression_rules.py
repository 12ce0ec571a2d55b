"""The normal form of operations on expressions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from thunder.core.transforms.expression_bounds import LARGEST_BITS
from thunder.core.transforms.expression_nodes import OPERATIONS, Expression, Kind, Operation, constant, make
from thunder.core.transforms.expression_polynomials import (
    ONE,
    ZERO,
    build,
    combine,
    content,
    divide_terms,
    leading,
    multiply,
    power,
    scale,
    shift,
    terms_of,
)

TRUE, FALSE = constant(True), constant(False)
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def as_int(e: Expression) -> Expression:
    """Return the int expression of an int or bool expression."""
    if e.kind is not bool:
        return e
    return constant(int(e.value)) if e.op == "const" else make("to_int", (e,), int)


def _atom(op: str, *args: Expression) -> Expression:
    node = make(op, args, int)
    lower, upper = node.bounds
    return constant(lower) if lower is not None and lower == upper and not node.raises else node


# Sums and products


def _add(x: Expression, y: Expression) -> Expression:
    return combine(x, y)


def _sub(x: Expression, y: Expression) -> Expression:
    return combine(x, y, -1)


def _neg(x: Expression) -> Expression:
    return scale(x, -1)


def _pos(x: Expression) -> Expression:
    return x


def _invert(x: Expression) -> Expression:
    return shift(scale(x, -1), -1)


def _pow(x: Expression, y: Expression) -> Expression:
    lower = y.bounds[0]
    if lower is None or lower < 0:
        return make("pow", (x, y), float)
    if y.op == "const":
        return power(x, y.value)
    return combine(ONE, y, 0) if x is ONE else _atom("pow", x, y)


def _abs(x: Expression) -> Expression:
    lower, upper = x.bounds
    if lower is not None and lower >= 0:
        return x
    if upper is not None and upper <= 0:
        return scale(x, -1)
    terms = terms_of(x)
    factor = content(terms.values())
    sign = -1 if leading(terms) < 0 else 1
    primitive = build({monomial: number // factor * sign for monomial, number in terms.items()})
    return scale(_atom("abs", primitive), factor)


# Division


def _floordiv(x: Expression, y: Expression) -> Expression:
    if y.op == "const" and y.value:
        return _divide_by_constant(x, y.value)
    x, y = _without_common_factor(x, y) if y.op != "const" else (x, y)
    quotient, remainder = divide_terms(terms_of(x), y) if y.op != "const" else ({}, terms_of(x))
    # With no remainder the division would go, and with it the error of a zero divisor
    if quotient and (any(remainder.values()) or not _may_be_zero(y)):
        return combine(build(quotient), _floordiv(build(remainder), y))
    if x is ZERO and not _may_be_zero(y):
        return combine(ZERO, y, 0)
    return _atom("floordiv", x, y)


def _may_be_zero(e: Expression) -> bool:
    lower, upper = e.bounds
    return (lower is None or lower <= 0) and (upper is None or upper >= 0)


def _without_common_factor(x: Expression, y: Expression) -> tuple[Expression, Expression]:
    left, right = terms_of(x), terms_of(y)
    factor = content((*left.values(), *right.values()))
    if leading(right) < 0:
        factor = -factor
    if factor == 1:
        return x, y
    return build({m: n // factor for m, n in left.items()}), build({m: n // factor for m, n in right.items()})


def _divide_by_constant(x: Expression, divisor: int) -> Expression:
    if divisor < 0:
        x, divisor = scale(x, -1), -divisor
    if divisor == 1:
        return x
    terms = terms_of(x)
    quotient = {monomial: number // divisor for monomial, number in terms.items() if number % divisor == 0}
    rest = {monomial: number for monomial, number in terms.items() if number % divisor}
    offset = rest.pop((), 0)
    if not rest:
        quotient[()] = quotient.get((), 0) + offset // divisor
        return build(quotient)
    sign = 1
    if leading(rest) < 0:  # x // d == -((-x + d - 1) // d)
        sign, offset = -1, divisor - 1 - offset
        rest = {monomial: -number for monomial, number in rest.items()}
    factor = math.gcd(divisor, *rest.values())
    rest = {monomial: number // factor for monomial, number in rest.items()}
    whole, offset = divmod(offset // factor, divisor // factor)
    outside = shift(build(quotient), sign * whole)
    inside = _small_quotient(build({**rest, (): offset}), divisor // factor)
    return combine(outside, inside, sign)


def _small_quotient(x: Expression, divisor: int) -> Expression:
    if divisor == 1:
        return x
    terms = terms_of(x)
    offset = terms.pop((), 0)
    if len(terms) == 1:
        ((monomial, number),) = terms.items()
        inner = monomial[0]
        if number == 1 and len(monomial) == 1 and inner.op == "floordiv" and inner.args[1].op == "const":
            numerator, first = inner.args[0], inner.args[1].value
            if first > 0:  # (n // a + k) // b == (n + k * a) // (a * b)
                return _divide_by_constant(shift(numerator, offset * first), first * divisor)
    return _atom("floordiv", x, constant(divisor))


def _mod(x: Expression, y: Expression) -> Expression:
    if y.op == "const":
        return _modulo_constant(x, y.value) if y.value else make("mod", (x, y), int)
    quotient, remainder = divide_terms(terms_of(x), y)
    if quotient and (any(remainder.values()) or not _may_be_zero(y)):
        return combine(_mod(build(remainder), y), build(quotient), 0)
    (lower, upper), least = x.bounds, y.bounds[0]
    if lower is not None and lower >= 0 and upper is not None and least is not None and upper < least and not y.raises:
        return x
    return _atom("mod", x, y)


def _modulo_constant(x: Expression, divisor: int) -> Expression:
    if divisor < 0:
        return scale(_modulo_constant(scale(x, -1), -divisor), -1)
    total = x
    for monomial, number in terms_of(x).items():
        inner = monomial[0] if len(monomial) == 1 else ZERO
        if inner.op == "mod" and inner.args[1].op == "const" and inner.args[1].value % divisor == 0:
            if inner.args[1].value:  # n % a and n differ by a multiple of the divisor
                total = combine(combine(total, inner, -number), inner.args[0], number)
    within = _within(total, divisor)
    if within is not None:
        return within
    half = divisor // 2
    reduced = {m: number % divisor if not m else half - (half - number) % divisor for m, number in terms_of(total).items()}
    factor = math.gcd(divisor, *reduced.values())
    rest = build({monomial: number // factor for monomial, number in reduced.items()})
    divisor //= factor
    within = _within(rest, divisor)
    return scale(_atom("mod", rest, constant(divisor)) if within is None else within, factor)


def _within(x: Expression, divisor: int) -> Expression | None:
    lower, upper = x.bounds
    if divisor == 1:
        return scale(x, 0)
    if lower is None or upper is None or lower // divisor != upper // divisor:
        return None
    return shift(x, -(lower // divisor) * divisor)


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
            return lhs.args[0] if op != "ne" else _not(lhs.args[0])
        if rhs is ZERO and op == "eq":
            return _not(lhs.args[0])
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


def _compare(op: str, x: Expression, y: Expression) -> Expression:
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


# Minimum and maximum, bits, logic


def _extremum(op: str, *args: Expression) -> Expression:
    if all(arg.kind is bool for arg in args):
        return _logic("and_" if op == "min" else "or_", *args)
    pending: dict[Expression, None] = {}
    for arg in map(as_int, args):
        pending.update(dict.fromkeys(arg.args if arg.op == op else (arg,)))
    kept: list[Expression] = []
    for arg in sorted(pending, key=lambda e: e.order):
        if not any(_covers(op, other, arg) for other in kept):
            kept = [other for other in kept if not _covers(op, arg, other)] + [arg]
    return kept[0] if len(kept) == 1 else _atom(op, *kept)


def _covers(op: str, x: Expression, y: Expression) -> bool:
    """Return whether ``op(x, y)`` is ``x``, and ``y`` need not be computed."""
    if y.raises:
        return False
    lower, upper = combine(y, x, -1).bounds
    return (lower is not None and lower >= 0) if op == "min" else (upper is not None and upper <= 0)


def _lshift(x: Expression, y: Expression) -> Expression:
    if y.op == "const" and 0 <= y.value <= LARGEST_BITS:
        return scale(x, 1 << y.value)
    return _atom("lshift", x, y)


def _rshift(x: Expression, y: Expression) -> Expression:
    if y.op == "const" and 0 <= y.value <= LARGEST_BITS:
        return _divide_by_constant(x, 1 << y.value)
    return _atom("rshift", x, y)


def _bits(op: str, x: Expression, y: Expression) -> Expression:
    if x.kind is bool and y.kind is bool:
        return _logic(op, x, y)
    x, y = sorted((as_int(x), as_int(y)), key=lambda e: e.order)
    if x is y:
        return scale(x, 0) if op == "xor" else x
    if x.op == "const":
        number = x.value
        if op == "and_" and number >= 0 and number & (number + 1) == 0:
            return _modulo_constant(y, number + 1)
        if number == (-1 if op == "and_" else 0):
            return y
        if number == -1:
            return _invert(y) if op == "xor" else combine(x, y, 0)
    return _atom(op, x, y)


def _logic(op: str, *args: Expression) -> Expression:
    if op == "xor":
        return _compare("ne", *args)
    neutral, absorbing = (TRUE, FALSE) if op == "and_" else (FALSE, TRUE)
    parts: dict[Expression, None] = {}
    for arg in args:
        parts.update(dict.fromkeys(arg.args if arg.op == op else (arg,)))
    parts.pop(neutral, None)
    if absorbing in parts or any(not part.raises and _not(part) in parts for part in parts):
        parts = {absorbing: None, **{part: None for part in parts if part.raises}}
    kept = sorted(parts, key=lambda e: e.order)
    return neutral if not kept else kept[0] if len(kept) == 1 else make(op, tuple(kept), bool)


def _not(e: Expression) -> Expression:
    if e.op == "const":
        return constant(not e.value)
    if e.kind is not bool:
        return _compare("eq", e, constant(0.0) if e.kind is float else ZERO)
    if e.op == "not_":
        return e.args[0]
    if e.op in ("and_", "or_"):
        return _logic("or_" if e.op == "and_" else "and_", *map(_not, e.args))
    if e.op in ("eq", "ne"):
        return _compare("ne" if e.op == "eq" else "eq", *e.args)
    if e.op in ("ge", "le") and e.args[0].kind is not float and e.args[1].kind is not float:
        return _compare("lt" if e.op == "ge" else "gt", *e.args)
    return make("not_", (e,), bool)
