"""Interval arithmetic on Python ints, and which operations may raise.

An interval is ``(lower, upper)``, both inclusive, ``None`` where nothing is known. The interval of an operation holds
whenever the operation has a value: a division says nothing about a zero divisor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Bounds = tuple[int | None, int | None]

UNBOUNDED: Bounds = (None, None)
TRUTH: Bounds = (0, 1)
LARGEST_BITS = 4096  # Numbers beyond are left to run time: computing them could take forever


def negated(a: Bounds) -> Bounds:
    """Return the interval of ``-a``."""
    return (None if a[1] is None else -a[1], None if a[0] is None else -a[0])


def _add(*args: Bounds) -> Bounds:
    lower: int | None = 0
    upper: int | None = 0
    for low, high in args:
        lower = None if lower is None or low is None else lower + low
        upper = None if upper is None or high is None else upper + high
    return lower, upper


def _product(a: Bounds, b: Bounds) -> Bounds:
    if a == (0, 0) or b == (0, 0):
        return 0, 0
    if a[0] is None or a[0] < 0:
        if b[0] is not None and b[0] >= 0:
            a, b = b, a
        elif a[1] is not None and a[1] <= 0:
            return negated(_product(negated(a), b))
        elif b[1] is not None and b[1] <= 0:
            return negated(_product(a, negated(b)))
    (low, high), (other_low, other_high) = a, b
    if low is not None and low >= 0:
        lower = _scaled(other_low, low, high) if other_low is None or other_low < 0 else low * other_low
        upper = _scaled(other_high, low, high) if other_high is None or other_high >= 0 else low * other_high
        return lower, upper
    if low is None or high is None or other_low is None or other_high is None:
        return UNBOUNDED
    return min(low * other_high, high * other_low), max(low * other_low, high * other_high)


def _scaled(end: int | None, low: int, high: int | None) -> int | None:
    return 0 if end == 0 else None if end is None or high is None else end * high


def _mul(*args: Bounds) -> Bounds:
    result = args[0]
    for arg in args[1:]:
        result = _product(result, arg)
    return result


def _power(end: int | None, exponent: int) -> int | None:
    return None if end is None or end.bit_length() * exponent > LARGEST_BITS else end**exponent


def _pow(base: Bounds, exponent: Bounds) -> Bounds:
    n = exponent[0]
    if n is None or n < 0:
        return UNBOUNDED
    if n != exponent[1]:
        return (None, None) if base[0] is None or base[0] < 0 else (min(base[0], 1), None)
    if n % 2 == 0:
        base = _abs(base)
        return _power(base[0], n) or 0, _power(base[1], n)
    return _power(base[0], n), _power(base[1], n)


def _floordiv(a: Bounds, b: Bounds) -> Bounds:
    low, high = b
    if low == high == 0:
        return UNBOUNDED
    if high is not None and high <= 0:
        return _floordiv(negated(a), negated(b))
    if low is None or low < 0:
        if a[0] is None or a[1] is None:
            return UNBOUNDED
        most = max(abs(a[0]), abs(a[1]))
        return -most, most
    low = max(low, 1)
    lower, upper = a
    if lower is not None:
        lower = lower // low if lower < 0 else 0 if high is None else lower // high
    if upper is not None:
        upper = upper // low if upper >= 0 else -1 if high is None else upper // high
    return lower, upper


def _mod(a: Bounds, b: Bounds) -> Bounds:
    low, high = b
    if low == high == 0:
        return UNBOUNDED
    if high is not None and high <= 0:
        return negated(_mod(negated(a), negated(b)))
    upper = None if high is None else high - 1
    if low is None or low < 0:
        return (None if low is None else low + 1), upper
    if a[0] is not None and a[0] >= 0 and a[1] is not None:
        upper = a[1] if upper is None else min(upper, a[1])
    return 0, upper


def _abs(a: Bounds) -> Bounds:
    low, high = a
    if low is not None and low >= 0:
        return a
    if high is not None and high <= 0:
        return negated(a)
    return 0, None if low is None or high is None else max(-low, high)


def intersection(a: Bounds, b: Bounds) -> Bounds:
    """Return the interval of a value that lies in both."""
    lowers = [low for low in (a[0], b[0]) if low is not None]
    uppers = [high for high in (a[1], b[1]) if high is not None]
    return max(lowers, default=None), min(uppers, default=None)


def extremum_interval(op: str, args: Sequence[Bounds]) -> Bounds:
    """Return the interval of the "min" or "max" of values in ``args``."""
    return _min(*args) if op == "min" else _max(*args)


def _min(*args: Bounds) -> Bounds:
    lowers = [low for low, _ in args if low is not None]
    uppers = [high for _, high in args if high is not None]
    return (min(lowers) if len(lowers) == len(args) else None), (min(uppers) if uppers else None)


def _max(*args: Bounds) -> Bounds:
    return negated(_min(*map(negated, args)))


def _and(a: Bounds, b: Bounds) -> Bounds:
    positive = [high for low, high in (a, b) if low is not None and low >= 0]
    if not positive:
        return UNBOUNDED
    uppers = [high for high in positive if high is not None]
    return 0, min(uppers) if uppers else None


def _or_xor(a: Bounds, b: Bounds) -> Bounds:
    if a[0] is None or b[0] is None or a[0] < 0 or b[0] < 0:
        return UNBOUNDED
    return 0, None if a[1] is None or b[1] is None else (1 << max(a[1].bit_length(), b[1].bit_length())) - 1


def _lshift(a: Bounds, b: Bounds) -> Bounds:
    return (
        (a[0], None)
        if a[0] is not None and a[0] >= 0
        else (None, a[1])
        if a[1] is not None and a[1] <= 0
        else UNBOUNDED
    )


def _rshift(a: Bounds, b: Bounds) -> Bounds:
    low, high = a
    return (None if low is None else min(low, 0)), (None if high is None else max(high, -1))


_INTERVALS: dict[str, Callable[..., Bounds]] = {
    "add": _add,
    "mul": _mul,
    "pow": _pow,
    "floordiv": _floordiv,
    "mod": _mod,
    "abs": _abs,
    "min": _min,
    "max": _max,
    "and_": _and,
    "or_": _or_xor,
    "xor": _or_xor,
    "lshift": _lshift,
    "rshift": _rshift,
}


def interval(op: str, kind: type, kinds: Sequence[type], args: Sequence[Bounds]) -> Bounds:
    """Return the interval of an operation's value.

    Args:
        op: the operation.
        kind: the kind of its value.
        kinds: the kinds of its arguments.
        args: the intervals of its arguments.
    """
    if kind is bool:
        return TRUTH
    if op == "to_int" and kinds[0] is bool:
        return args[0]
    rule = _INTERVALS.get(op)
    return UNBOUNDED if rule is None or kind is float or float in kinds else rule(*args)


_TOTAL = frozenset(["neg", "pos", "abs", "eq", "ne", "lt", "le", "gt", "ge", "min", "max", "not_", "to_bool"])
_RING = frozenset(["add", "sub", "mul"])
_BITS = frozenset(["and_", "or_", "xor", "invert"])


def may_raise(op: str, kinds: Sequence[type], args: Sequence[Bounds]) -> bool:
    """Return whether an operation may raise on arguments that have a value.

    Args:
        op: the operation.
        kinds: the kinds of its arguments.
        args: the intervals of its arguments.
    """
    if op in _TOTAL:
        return False
    floats = kinds.count(float)
    if op in _RING:
        return 0 < floats < len(kinds)  # An int may be too large for a float
    if floats:
        return op != "to_float"
    if op in _BITS or op == "to_int":
        return False
    if op in ("floordiv", "mod"):
        low, high = args[1]
        return (low is None or low <= 0) and (high is None or high >= 0)
    if op in ("lshift", "rshift", "pow"):
        low = args[1][0]
        return low is None or low < 0
    return True
