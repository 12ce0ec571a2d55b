"""Integer polynomials: the normal form of sums and products, and exact division.

A sum is a node "add" of terms, a term a node "mul" of an optional constant and factors, a factor an atom or "pow" of
an atom and a constant. A term that cancels stays with coefficient zero where computing it may raise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from thunder.core.transforms.expression_bounds import LARGEST_BITS, extremum_interval
from thunder.core.transforms.expression_nodes import Expression, constant, make, narrow

Monomial = tuple[Expression, ...]
Terms = dict[Monomial, int]

ZERO, ONE = constant(0), constant(1)
LARGEST_PRODUCT = 64  # Products with more terms are not multiplied out


def split(term: Expression) -> tuple[Monomial, int]:
    """Return the factors and the coefficient of one term."""
    if term.op == "const":
        return (), term.value
    if term.op != "mul":
        return (term,), 1
    first = term.args[0]
    return (term.args[1:], first.value) if first.op == "const" else (term.args, 1)


def terms_of(e: Expression) -> Terms:
    """Return the terms of an int expression in normal form, in order."""
    return dict(map(split, e.args)) if e.op == "add" else dict((split(e),))


def _base(factor: Expression) -> tuple[Expression, int]:
    if factor.op == "pow" and factor.args[1].op == "const":
        return factor.args[0], factor.args[1].value
    return factor, 1


def _raised(base: Expression, exponent: int) -> Expression:
    return base if exponent == 1 else make("pow", (base, constant(exponent)), int)


def _rank(item: tuple[Monomial, int]) -> tuple[Any, ...]:
    monomial = item[0]
    degree = sum([_base(factor)[1] for factor in monomial])
    return (-degree, *[factor.order for factor in monomial])


def _term(monomial: Monomial, coefficient: int) -> Expression:
    if not monomial:
        return constant(coefficient)
    if coefficient != 1:
        return make("mul", (constant(coefficient), *monomial), int)
    return monomial[0] if len(monomial) == 1 else make("mul", monomial, int)


def build(terms: Terms) -> Expression:
    """Return the normal form of a sum of terms."""
    parts = [item for item in terms.items() if item[1]]
    if len(parts) != len(terms):
        present = {_base(factor)[0] for monomial, _ in parts for factor in monomial}
        cancelled = {_base(factor)[0] for monomial, number in terms.items() if not number for factor in monomial}
        parts += [((base,), 0) for base in cancelled - present if base.raises]
    if not parts:
        return ZERO
    if len(parts) == 1 and (parts[0][1] or not parts[0][0]):
        return _term(*parts[0])
    parts.sort(key=_rank)
    nodes = tuple([_term(*part) for part in parts])
    return nodes[0] if len(nodes) == 1 else _sum(nodes)


def _sum(nodes: tuple[Expression, ...]) -> Expression:
    total = make("add", nodes, int)
    over = distributed(total)
    # The sum and the extremum in it depend on the same symbols: taken apart, their intervals say too little
    return total if over is None else narrow(total, extremum_interval(over[0], [part.bounds for part in over[1]]))


def distributed(e: Expression) -> tuple[str, list[Expression]] | None:
    """Return a sum that has an extremum among its terms as the extremum of sums: its operation and its arguments."""
    if e.op != "add":
        return None
    terms = terms_of(e)
    for monomial, number in terms.items():
        if number and len(monomial) == 1 and monomial[0].op in ("min", "max"):
            op = monomial[0].op if number > 0 else {"min": "max", "max": "min"}[monomial[0].op]
            rest = build({m: n for m, n in terms.items() if m != monomial})
            return op, [combine(rest, arg, number) for arg in monomial[0].args]
    return None


def combine(x: Expression, y: Expression, factor: int = 1) -> Expression:
    """Return ``x + factor * y``."""
    terms = terms_of(x)
    for monomial, coefficient in terms_of(y).items():
        terms[monomial] = terms.get(monomial, 0) + factor * coefficient
    return build(terms)


def scale(x: Expression, factor: int) -> Expression:
    """Return ``factor * x``."""
    return x if factor == 1 else build({monomial: factor * number for monomial, number in terms_of(x).items()})


def shift(x: Expression, number: int) -> Expression:
    """Return ``x + number``."""
    return combine(x, constant(number)) if number else x


def _join(left: Monomial, right: Monomial) -> Monomial:
    if not left or not right:
        return left or right
    exponents: dict[Expression, int] = {}
    for base, exponent in map(_base, left + right):
        exponents[base] = exponents.get(base, 0) + exponent
    return tuple([_raised(base, exponents[base]) for base in sorted(exponents, key=lambda base: base.order)])


def multiply(x: Expression, y: Expression) -> Expression:
    """Return ``x * y``, multiplied out unless it has very many terms."""
    left, right = terms_of(x), terms_of(y)
    if len(left) > 1 and len(right) > 1 and len(left) * len(right) > LARGEST_PRODUCT:
        return build({_join((x,), (y,)): 1})
    result: Terms = {}
    for monomial, coefficient in left.items():
        for other, factor in right.items():
            product = _join(monomial, other)
            result[product] = result.get(product, 0) + coefficient * factor
    return build(result)


def power(x: Expression, exponent: int) -> Expression:
    """Return ``x ** exponent`` for ``exponent >= 0``, multiplied out unless it has very many terms."""
    if exponent == 0:
        return combine(ONE, x, 0)
    terms = terms_of(x)
    if len(terms) == 1:
        ((monomial, coefficient),) = terms.items()
        if coefficient.bit_length() * exponent <= LARGEST_BITS or coefficient == 1:
            factors = [_raised(base, n * exponent) for base, n in map(_base, monomial)]
            return build({tuple(factors): coefficient**exponent})
    elif len(terms) ** min(exponent, LARGEST_PRODUCT) <= LARGEST_PRODUCT:
        result = x
        for _ in range(exponent - 1):
            result = multiply(result, x)
        return result
    return build({(_raised(x, exponent),): 1})


def content(coefficients: Iterable[int]) -> int:
    """Return the greatest common divisor of coefficients; 1 where all are zero."""
    return math.gcd(*coefficients) or 1


def leading(terms: Terms) -> int:
    """Return the first coefficient other than zero of a term other than the constant one; 0 where there is none."""
    return next((number for monomial, number in terms.items() if monomial and number), 0)


def divide_terms(p: Terms, divisor: Expression) -> tuple[Terms, Terms]:
    """Split ``p`` into terms of a quotient and of a remainder: ``p == quotient * divisor + remainder``."""
    by = terms_of(divisor)
    if len(by) == 1:
        ((monomial, coefficient),) = by.items()
        return _divide_by_term(p, monomial, coefficient) if coefficient else ({}, p)
    lead = next((monomial for monomial, number in by.items() if monomial and number), None)
    if lead is None:
        return {}, p
    factor, rest = divmod(p.get(lead, 0), by[lead])
    if rest or not factor:
        return {}, p
    remainder = {m: p.get(m, 0) - factor * by.get(m, 0) for m in {**p, **by}}
    left = {m: number for m, number in remainder.items() if number}
    return ({(): factor}, remainder) if all(not m for m in left) else ({}, p)


def _divide_by_term(p: Terms, monomial: Monomial, coefficient: int) -> tuple[Terms, Terms]:
    needed = dict(map(_base, monomial))
    quotient: Terms = {}
    remainder: Terms = {}
    for factors, number in p.items():
        exponents = dict(map(_base, factors))
        divisible = number % coefficient == 0 and all(exponents.get(b, 0) >= n for b, n in needed.items())
        if not divisible:
            remainder[factors] = number
            continue
        left = [_raised(b, n - needed.get(b, 0)) for b, n in exponents.items() if n > needed.get(b, 0)]
        quotient[tuple(left)] = number // coefficient
    return quotient, remainder
