"""The nodes of symbolic expressions: interned, immutable, and what is read off them."""

from __future__ import annotations

import builtins
import itertools
import math
import operator
import threading
import weakref
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, NoReturn

from thunder.core.transforms.expression_bounds import TRUTH, UNBOUNDED, Bounds, intersection, interval, may_raise

Kind = type
KindRule = Callable[..., Kind]


class Expression:
    """A number as a function of the inputs of a program.

    Equal normal forms are the same object, so ``is`` and ``==`` agree and hashing is by identity. Expressions come
    from `constant`, `symbol` and `apply`, never from this class.

    Attributes:
        op: "const", "symbol" or the name of an operation.
        args: the arguments of an operation.
        value: the value of a constant, else None.
        name: the readable name of a symbol, else "".
        kind: the Python type of the value: int, float or bool. The type of ``min`` and ``max`` of an int and a float,
            and of ``pow`` with an exponent that may be negative, depends on the values: their kind is float.
        bounds: the interval of the value of an int or bool, see `bounds`.
        raises: whether computing the value may raise.
        order: a sort key that depends on structure and names only.
    """

    __slots__ = ("__weakref__", "_symbols", "args", "bounds", "kind", "name", "op", "order", "raises", "value")

    op: str
    args: tuple[Expression, ...]
    value: Any
    name: str
    kind: Kind
    bounds: Bounds
    raises: bool
    order: tuple[Any, ...]
    _symbols: tuple[Expression, ...] | None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"an Expression is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"an Expression is immutable: cannot delete {name}")

    def __copy__(self) -> Expression:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Expression:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("an Expression cannot be pickled: it would no longer be the one of its process")

    def __bool__(self) -> NoReturn:
        raise TypeError(f"the truth of an expression is not known: {self}")

    def __str__(self) -> str:
        from thunder.core.transforms.expression_code import describe

        return describe(self)

    def __repr__(self) -> str:
        return f"<Expression {self}>"


_set = object.__setattr__
_table: weakref.WeakValueDictionary[Hashable, Expression] = weakref.WeakValueDictionary()
_lock = threading.Lock()
_serials = itertools.count()


def _intern(key: Hashable, **attributes: Any) -> Expression:
    with _lock:
        found = _table.get(key)
        if found is None:
            found = Expression()
            for name, value in attributes.items():
                _set(found, name, value)
            _set(found, "_symbols", None)
            _table[key] = found
        return found


def constant(value: float) -> Expression:
    """Return the expression of a Python number.

    Args:
        value: an int, float or bool; True, 1 and 1.0 are three constants, as are 0.0 and -0.0, and NaN is one.

    Raises:
        TypeError: ``value`` is of another type.
    """
    kind: Kind = type(value)
    if kind is not int and kind is not float and kind is not bool:
        if not isinstance(value, (int, float)):
            raise TypeError(f"a constant is an int, a float or a bool, not {type(value).__name__}")
        value = int(value) if isinstance(value, int) else float(value)
        kind = type(value)
    identity = repr(value) if kind is float else value
    key = ("const", kind, identity)
    found = _table.get(key)
    if found is not None:
        return found
    limits = UNBOUNDED if kind is float else (int(value), int(value))
    order = (0, kind.__name__, identity)
    return _intern(key, op="const", args=(), value=value, name="", kind=kind, bounds=limits, raises=False, order=order)


def symbol(key: Hashable, name: str, kind: Kind, lower: int | None = None) -> Expression:
    """Return the expression of an input.

    Args:
        key: the identity of the input; calls that agree in all arguments return the same symbol.
        name: a readable name; expressions are ordered by it, so it should be unique.
        kind: the Python type of the values: int, float or bool.
        lower: the smallest value of an int, where one is known.

    Raises:
        TypeError: ``kind`` is none of the three types.
    """
    if kind not in (int, float, bool):
        raise TypeError(f"a symbol is an int, a float or a bool, not {kind}")
    identity = ("symbol", key, name, kind, lower)
    found = _table.get(identity)
    if found is not None:
        return found
    limits = TRUTH if kind is bool else (lower, None) if kind is int else UNBOUNDED
    # The serial decides between symbols of one name only
    order = (1, name, kind.__name__, next(_serials))
    return _intern(
        identity, op="symbol", args=(), value=None, name=name, kind=kind, bounds=limits, raises=False, order=order
    )


def make(op: str, args: tuple[Expression, ...], kind: Kind) -> Expression:
    """Return the node of an operation as it is: the arguments have to be in normal form already.

    Args:
        op: the operation.
        args: its arguments.
        kind: the kind of its value.
    """
    key = (op, args)
    found = _table.get(key)
    if found is not None:
        return found
    kinds = [arg.kind for arg in args]
    ranges = [arg.bounds for arg in args]
    raises = any(arg.raises for arg in args) or may_raise(op, kinds, ranges)
    order = (2, op, len(args), *[arg.order for arg in args])
    limits = interval(op, kind, kinds, ranges)
    return _intern(key, op=op, args=args, value=None, name="", kind=kind, bounds=limits, raises=raises, order=order)


def narrow(e: Expression, limits: Bounds) -> Expression:
    """Return ``e``, known from now on to lie in ``limits`` too."""
    _set(e, "bounds", intersection(e.bounds, limits))
    return e


@dataclass(frozen=True)
class Operation:
    """How an operation is computed.

    Attributes:
        function: the Python function.
        kind: from the kinds of the arguments to the kind of the value.
    """

    function: Callable[..., Any]
    kind: KindRule


def _numeric(*kinds: Kind) -> Kind:
    return float if float in kinds else int


def _bitwise(*kinds: Kind) -> Kind:
    return bool if all(kind is bool for kind in kinds) else int


def _always(kind: Kind) -> KindRule:
    return lambda *kinds: kind


def _folded(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *args: reduce(function, args)


_to_int, _to_float, _to_bool = _always(int), _always(float), _always(bool)
OPERATIONS: dict[str, Operation] = {
    "add": Operation(_folded(operator.add), _numeric),
    "sub": Operation(operator.sub, _numeric),
    "mul": Operation(_folded(operator.mul), _numeric),
    "truediv": Operation(operator.truediv, _to_float),
    "floordiv": Operation(operator.floordiv, _numeric),
    "mod": Operation(operator.mod, _numeric),
    "pow": Operation(operator.pow, _to_float),
    "neg": Operation(operator.neg, _numeric),
    "pos": Operation(operator.pos, _numeric),
    "abs": Operation(abs, _numeric),
    "eq": Operation(operator.eq, _to_bool),
    "ne": Operation(operator.ne, _to_bool),
    "lt": Operation(operator.lt, _to_bool),
    "le": Operation(operator.le, _to_bool),
    "gt": Operation(operator.gt, _to_bool),
    "ge": Operation(operator.ge, _to_bool),
    "min": Operation(min, _numeric),
    "max": Operation(max, _numeric),
    "and_": Operation(_folded(operator.and_), _bitwise),
    "or_": Operation(_folded(operator.or_), _bitwise),
    "xor": Operation(_folded(operator.xor), _bitwise),
    "invert": Operation(operator.invert, _to_int),
    "lshift": Operation(operator.lshift, _to_int),
    "rshift": Operation(operator.rshift, _to_int),
    "not_": Operation(operator.not_, _to_bool),
    "to_int": Operation(int, _to_int),
    "to_float": Operation(float, _to_float),
    "to_bool": Operation(bool, _to_bool),
    "round": Operation(round, lambda kind, *digits: kind if digits and kind is float else int),
    "powmod": Operation(builtins.pow, _to_int),
    "bit_length": Operation(int.bit_length, _to_int),
    "bit_count": Operation(int.bit_count, _to_int),
    "is_integer": Operation(float.is_integer, _to_bool),
}

# Functions of ``math`` from numbers to a number, under their own names, by the kind of the value
_MATH: dict[Kind, str] = {  # cbrt and exp2 are newer than Python 3.10
    float: (
        "acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees erf erfc exp exp2 expm1 fabs fmod gamma "
        "hypot ldexp lgamma log log10 log1p log2 nextafter radians remainder sin sinh sqrt tan tanh ulp"
    ),
    int: "ceil comb factorial floor gcd isqrt lcm perm trunc",
    bool: "isclose isfinite isinf isnan",
}
for _kind, _names in _MATH.items():
    for _name in filter(partial(hasattr, math), _names.split()):
        OPERATIONS[_name] = Operation(getattr(math, _name), _always(_kind))
OPERATIONS["math_pow"] = Operation(math.pow, _to_float)


def postorder(roots: Iterable[Expression]) -> list[Expression]:
    """Return every node below ``roots`` once, arguments first, without recursion."""
    done: dict[Expression, None] = {}
    stack = list(roots)[::-1]
    while stack:
        node = stack[-1]
        pending = [arg for arg in node.args if arg not in done] if node not in done else []
        if pending:
            stack.extend(reversed(pending))
        else:
            done[stack.pop()] = None
    return list(done)


def symbols(e: Expression) -> tuple[Expression, ...]:
    """Return the symbols an expression depends on, in the order of their names."""
    if e._symbols is None:
        found = [node for node in postorder((e,)) if node.op == "symbol"]
        _set(e, "_symbols", () if found == [e] else tuple(sorted(found, key=lambda node: node.order)))
    return (e,) if e.op == "symbol" else e._symbols or ()


def bounds(e: Expression) -> Bounds:
    """Return ``(lower, upper)``, inclusive, of an int or bool expression; None where nothing is known."""
    return e.bounds


def evaluate(e: Expression, environment: Mapping[Expression, Any]) -> Any:
    """Compute an expression.

    Args:
        e: the expression.
        environment: from each symbol of ``e`` to its value.

    Raises:
        KeyError: a symbol has no value.
        Exception: what Python raises on these values.
    """
    values: dict[Expression, Any] = {}
    for node in postorder((e,)):
        if node.op == "const":
            values[node] = node.value
        elif node.op == "symbol":
            if node not in environment:
                raise KeyError(f"no value for {node.name}")
            values[node] = environment[node]
        else:
            values[node] = OPERATIONS[node.op].function(*[values[arg] for arg in node.args])
    return values[e]
