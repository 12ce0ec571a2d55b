"""Expressions as Python source, for people and for generated code."""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Callable, Mapping, Sequence

from thunder.core.transforms.expression_nodes import OPERATIONS, Expression, postorder
from thunder.core.transforms.expression_polynomials import split

_NOT, _COMPARE, _OR, _XOR, _AND, _SHIFT, _ADD, _MUL, _UNARY, _POW, _ATOM = range(11)
_INFIX = {
    "add": ("+", _ADD),
    "sub": ("-", _ADD),
    "mul": ("*", _MUL),
    "truediv": ("/", _MUL),
    "floordiv": ("//", _MUL),
    "mod": ("%", _MUL),
    "or_": ("|", _OR),
    "xor": ("^", _XOR),
    "and_": ("&", _AND),
    "lshift": ("<<", _SHIFT),
    "rshift": (">>", _SHIFT),
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_PREFIX = {"neg": ("-", _UNARY), "pos": ("+", _UNARY), "invert": ("~", _UNARY), "not_": ("not ", _NOT)}
_LONGEST_DECIMAL = 4096  # bits; str() of a much longer int is refused
_LONGEST_DESCRIPTION = 2000  # characters; written as a tree, a graph can grow without limit

Source = tuple[str, int]  # text and the precedence of its outermost operator


def _closed(source: Source, least: int) -> str:
    return source[0] if source[1] >= least else f"({source[0]})"


def _number(value: float) -> Source:
    if isinstance(value, float) and not math.isfinite(value):
        return ("math.nan", _ATOM) if math.isnan(value) else ("math.inf", _ATOM) if value > 0 else ("-math.inf", _UNARY)
    long = isinstance(value, int) and value.bit_length() > _LONGEST_DECIMAL
    text = hex(value) if long else repr(value)  # type: ignore[arg-type]
    return text, _UNARY if text.startswith("-") else _ATOM


def _named(text: str) -> Source:
    return text, _ATOM if re.fullmatch(r"[\w.\[\]'\"]+", text) else -1


def _function(op: str) -> str:
    function = OPERATIONS[op].function
    name = getattr(function, "__name__", "")
    if getattr(builtins, name, None) is function:
        return name
    if getattr(math, name, None) is function:
        return f"math.{name}"
    owner = getattr(function, "__objclass__", None)
    if owner is not None and getattr(builtins, owner.__name__, None) is owner:
        return function.__qualname__
    raise ValueError(f"operation {op!r} has no Python source: its function is neither a builtin nor of math")


class _Writer:
    """Writes one node after another, arguments first."""

    def __init__(
        self, name_of: Callable[[Expression], str], function: Callable[[str], str], longest: int | None
    ) -> None:
        self._name_of = name_of
        self._function = function
        self._longest = longest
        self.sources: dict[Expression, Source] = {}
        self.named: set[Expression] = set()

    def write(self, e: Expression) -> None:
        source = self._source(e)
        if self._longest is not None and len(source[0]) > self._longest:
            source = "...", _ATOM
        self.sources[e] = source

    def _source(self, e: Expression) -> Source:
        if e.op == "const":
            return _number(e.value)
        if e.op == "symbol":
            return _named(self._name_of(e))
        args = [self.sources[arg] for arg in e.args]
        if e.op == "add" and e.kind is int:
            return self._sum(e)
        if e.op == "mul" and e.kind is int:
            return self._product(*split(e))
        if e.op == "pow":
            return f"{_closed(args[0], _ATOM)} ** {_closed(args[1], _UNARY)}", _POW
        if e.op in _PREFIX:
            sign, level = _PREFIX[e.op]
            return sign + _closed(args[0], level), level
        if e.op in _COMPARISONS:
            return f"{_closed(args[0], _OR)} {_COMPARISONS[e.op]} {_closed(args[1], _OR)}", _COMPARE
        if e.op in _INFIX:
            sign, level = _INFIX[e.op]
            rest = [_closed(arg, level + 1) for arg in args[1:]]
            return f" {sign} ".join([_closed(args[0], level), *rest]), level
        return f"{self._function(e.op)}({', '.join([text for text, _ in args])})", _ATOM

    def _product(self, factors: Sequence[Expression], coefficient: int) -> Source:
        texts = [_closed(self.sources[factor], _UNARY) for factor in factors]
        if coefficient == -1:
            return "-" + " * ".join(texts), _MUL if len(texts) > 1 else _UNARY
        if coefficient != 1:
            texts.insert(0, _number(coefficient)[0])
        elif len(texts) == 1:
            return self.sources[factors[0]]
        return " * ".join(texts), _MUL

    def _sum(self, e: Expression) -> Source:
        terms = [(term, self._is_negative(term)) for term in e.args]
        first = next((item for item in terms if not item[1]), terms[0])
        text = _closed(self.sources[first[0]], _ADD)
        for term, negative in terms:
            if term is first[0]:
                continue
            if not negative:
                text += " + " + _closed(self.sources[term], _MUL)
                continue
            factors, coefficient = split(term)
            text += " - " + _closed(self._product(factors, -coefficient) if factors else _number(-coefficient), _MUL)
        return text, _ADD

    def _is_negative(self, term: Expression) -> bool:
        return term not in self.named and split(term)[1] < 0


def describe(e: Expression) -> str:
    """Return an expression as readable Python over the names of its symbols."""
    writer = _Writer(lambda node: node.name, lambda op: op, _LONGEST_DESCRIPTION)
    for node in postorder((e,)):
        writer.write(node)
    return writer.sources[e][0]


def emit(expressions: Sequence[Expression], names: Mapping[Expression, str]) -> tuple[list[str], list[str]]:
    """Return straight-line Python that computes expressions, what they share once.

    Args:
        expressions: what to compute.
        names: from each symbol to the Python source that reads it.

    Returns:
        Assignments to run first, and one Python expression for each of ``expressions``. They need ``math``.

    Raises:
        KeyError: a symbol has no name.
        ValueError: a registered operation has no Python source.
    """

    def name_of(e: Expression) -> str:
        if e not in names:
            raise KeyError(f"no name for {e.name}")
        return names[e]

    nodes = postorder(expressions)
    uses = dict.fromkeys(nodes, 0)
    for used in (*expressions, *(arg for node in nodes for arg in node.args)):
        uses[used] += 1
    taken = set(re.findall(r"\w+", " ".join(names.values())))
    fresh = (name for name in (f"t{number}" for number in range(len(nodes) + len(taken))) if name not in taken)
    writer = _Writer(name_of, _function, None)
    assignments = []
    for node in nodes:
        writer.write(node)
        if uses[node] > 1 and node.args:
            name = next(fresh)
            assignments.append(f"{name} = {writer.sources[node][0]}")
            writer.sources[node] = name, _ATOM
            writer.named.add(node)
    return assignments, [writer.sources[e][0] for e in expressions]
