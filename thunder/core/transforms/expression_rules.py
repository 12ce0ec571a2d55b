"""The normal form of arithmetic on ints."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from thunder.core.transforms.expression_bounds import LARGEST_BITS
from thunder.core.transforms.expression_nodes import Expression, constant, make
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


def as_int(e: Expression) -> Expression:
    """Return the int expression of an int or bool expression."""
    if e.kind is not bool:
        return e
    return constant(int(e.value)) if e.op == "const" else make("to_int", (e,), int)


def atom(op: str, *args: Expression) -> Expression:
    node = make(op, args, int)
    lower, upper = node.bounds
    return constant(lower) if lower is not None and lower == upper and not node.raises else node


# Sums and products


def _sub(x: Expression, y: Expression) -> Expression:
    return combine(x, y, -1)


def _neg(x: Expression) -> Expression:
    return scale(x, -1)


def _same(x: Expression) -> Expression:
    return x


def _round(x: Expression, *digits: Expression) -> Expression:
    if not digits or (digits[0].op == "const" and digits[0].value >= 0):
        return x
    return make("round", (x, *digits), int)


def invert(x: Expression) -> Expression:
    return shift(scale(x, -1), -1)


def _pow(x: Expression, y: Expression) -> Expression:
    lower = y.bounds[0]
    if lower is None or lower < 0:
        return make("pow", (x, y), float)
    if y.op == "const":
        return power(x, y.value)
    return combine(ONE, y, 0) if x is ONE else atom("pow", x, y)


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
    return scale(atom("abs", primitive), factor)


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
    return atom("floordiv", x, y)


def exact_quotient(x: Expression, y: Expression) -> Expression | None:
    """Return ``x // y`` of ints for a ``y`` that is not zero, or None where no polynomial is the quotient."""
    if y.op == "const":
        return None
    x, y = _without_common_factor(x, y)
    quotient, remainder = divide_terms(terms_of(x), y)
    return build(quotient) if quotient and not any(remainder.values()) and not x.raises and not y.raises else None


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
    return atom("floordiv", x, constant(divisor))


def _mod(x: Expression, y: Expression) -> Expression:
    if y.op == "const":
        return modulo_constant(x, y.value) if y.value else make("mod", (x, y), int)
    quotient, remainder = divide_terms(terms_of(x), y)
    if quotient and (any(remainder.values()) or not _may_be_zero(y)):
        return combine(_mod(build(remainder), y), build(quotient), 0)
    (lower, upper), least = x.bounds, y.bounds[0]
    if lower is not None and lower >= 0 and upper is not None and least is not None and upper < least and not y.raises:
        return x
    return atom("mod", x, y)


def modulo_constant(x: Expression, divisor: int) -> Expression:
    if divisor < 0:
        return scale(modulo_constant(scale(x, -1), -divisor), -1)
    total = x
    for monomial, number in terms_of(x).items():
        inner = monomial[0] if len(monomial) == 1 else ZERO
        modulus = inner.args[1].value if inner.op == "mod" else None
        if modulus and modulus % divisor == 0:  # n % modulus and n differ by a multiple of the divisor
            total = combine(combine(total, inner, -number), inner.args[0], number)
    within = _within(total, divisor)
    if within is not None:
        return within
    half = divisor // 2
    reduced = {
        m: number % divisor if not m else half - (half - number) % divisor for m, number in terms_of(total).items()
    }
    factor = math.gcd(divisor, *reduced.values())
    rest = build({monomial: number // factor for monomial, number in reduced.items()})
    divisor //= factor
    within = _within(rest, divisor)
    return scale(atom("mod", rest, constant(divisor)) if within is None else within, factor)


def _within(x: Expression, divisor: int) -> Expression | None:
    lower, upper = x.bounds
    if divisor == 1:
        return scale(x, 0)
    if lower is None or upper is None or lower // divisor != upper // divisor:
        return None
    return shift(x, -(lower // divisor) * divisor)


# Minimum, maximum and shifts


def _extremum(op: str, *args: Expression) -> Expression:
    pending: dict[Expression, None] = {}
    for arg in args:
        pending.update(dict.fromkeys(arg.args if arg.op == op else (arg,)))
    kept: list[Expression] = []
    for arg in sorted(pending, key=lambda e: e.order):
        if not any(_covers(op, other, arg) for other in kept):
            kept = [other for other in kept if not _covers(op, arg, other)] + [arg]
    return kept[0] if len(kept) == 1 else atom(op, *kept)


def _covers(op: str, x: Expression, y: Expression) -> bool:
    """Return whether ``op(x, y)`` is ``x``, and ``y`` need not be computed."""
    if y.raises:
        return False
    lower, upper = combine(y, x, -1).bounds
    return (lower is not None and lower >= 0) if op == "min" else (upper is not None and upper <= 0)


def _lshift(x: Expression, y: Expression) -> Expression:
    if y.op == "const" and 0 <= y.value <= LARGEST_BITS:
        return scale(x, 1 << y.value)
    return atom("lshift", x, y)


def _rshift(x: Expression, y: Expression) -> Expression:
    if y.op == "const" and 0 <= y.value <= LARGEST_BITS:
        return _divide_by_constant(x, 1 << y.value)
    return atom("rshift", x, y)


INTEGER_RULES: dict[str, Callable[..., Expression]] = {
    "add": combine,
    "sub": _sub,
    "mul": multiply,
    "neg": _neg,
    "pos": _same,
    "abs": _abs,
    "pow": _pow,
    "floordiv": _floordiv,
    "mod": _mod,
    "invert": invert,
    "lshift": _lshift,
    "rshift": _rshift,
    "floor": _same,
    "ceil": _same,
    "trunc": _same,
    "round": _round,
    "to_int": _same,
    "min": partial(_extremum, "min"),
    "max": partial(_extremum, "max"),
}
