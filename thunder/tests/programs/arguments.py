"""Whatever is no tensor, number or container is compared where the program may have read it."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import partial
from typing import Any

import torch
from torch import Tensor

from programs.program import Program as P
from programs.program import each, rows

X, Y, Z = torch.randn(3), torch.randn(3), torch.randn(4)


class Mode(Enum):
    TWICE = "twice"
    ONCE = "once"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Settings:
    def __init__(self, factor: float) -> None:
        self.factor = factor


@dataclass
class Pair:
    first: Tensor
    second: Any


Point = namedtuple("Point", "x y")
_THE = Settings(1.0)


def _double(x: Tensor) -> Tensor:
    return x * 2


def _negate(x: Tensor) -> Tensor:
    return -x


def _with_defaults(x: Tensor, y: Tensor | None = None, *, scale: float | None = None) -> Tensor:
    x = x if y is None else x + y
    return x if scale is None else x * scale


def _called(x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    return function(x)


PROGRAMS = {
    "None, then a tensor": P(lambda x, y: x if y is None else x + y, each(X, None, Y, None, Z[:3]), 2, "an input more"),
    "a tensor, then None": P(lambda x, y: x if y is None else x + y, each(X, Y, None), 2, "an input more"),
    "None, then a number": P(lambda x, n: x if n is None else x * n, each(X, None, 2, 3, None, 2.5), 3, "a type each"),
    "None that is falsy": P(lambda x, n: x * n if n else x, each(X, None, 2, 3, 0), 3, "a type, a branch"),
    "None in a list": P(
        lambda x, ys: x if ys[0] is None else x + ys[0], each(X, [None], [Y], [None]), 2, "an input more"
    ),
    "None in a dict": P(
        lambda x, d: x if d["y"] is None else x + d["y"], each(X, {"y": None}, {"y": Y}), 2, "an input more"
    ),
    "None in a dataclass": P(
        lambda x, p: x + p.first if p.second is None else x + p.second,
        each(X, Pair(Y, None), Pair(Y, X), Pair(X, None)),
        2,
        "an input more",
    ),
    "a default of None": P(_with_defaults, [(X,), (X, Y), (X, None), (X,)], 3, "numbers of arguments"),
    "an enum member by is": P(
        lambda x, e: x * 2 if e is Mode.TWICE else x, each(X, Mode.TWICE, Mode.ONCE, Mode.TWICE), 2, "a member each"
    ),
    "an enum member by ==": P(
        lambda x, e: x * 2 if e == Mode.TWICE else x, each(X, Mode.ONCE, Mode.TWICE), 2, "a member each"
    ),
    "an enum's value": P(lambda x, e: x * len(e.value), each(X, Mode.ONCE, Mode.TWICE), 2, "a member each"),
    "an enum of ints": P(
        lambda x, e: x * 2 if e is Level.HIGH else x, each(X, Level.LOW, Level.HIGH), 2, "a member each"
    ),
    "an enum of ints as a number": P(lambda x, e: x * e, each(X, Level.LOW, Level.HIGH), 2, "a member each"),
    "an enum as key": P(
        lambda x, e: x * {Mode.ONCE: 1.0, Mode.TWICE: 2.0}[e], each(X, Mode.ONCE, Mode.TWICE), 2, "a member each"
    ),
    "a dtype": P(lambda x, d: x.to(d) + 1, each(X, torch.float64, torch.float32, torch.float64), 2, "a dtype each"),
    "a dtype compared": P(
        lambda x, d: x * 2 if d == torch.float32 else x, each(X, torch.float64, torch.float32), 2, "a dtype each"
    ),
    "a dtype by is": P(
        lambda x, d: x * 2 if d is torch.float32 else x, each(X, torch.float64, torch.float32), 2, "a dtype each"
    ),
    "a dtype of a tensor": P(
        lambda x: x * 2 if x.dtype == torch.float64 else x, [(X,), (X.double(),), (Z,)], 2, "a dtype each"
    ),
    "a device": P(lambda x, d: x.to(d) + 1, each(X, torch.device("cpu"), torch.device("cpu", 0)), 2, "a device each"),
    "a device compared": P(
        lambda x, d: x * 2 if d == torch.device("cpu") else x,
        each(X, torch.device("cpu"), torch.device("meta")),
        2,
        "a device each",
    ),
    "a device's type": P(
        lambda x, d: x * 2 if d.type == "cpu" else x,
        each(X, torch.device("meta"), torch.device("cpu")),
        2,
        "a device each",
    ),
    "a string": P(lambda x, s: x * 2 if s == "twice" else x, each(X, "once", "twice", "once"), 2, "a string each"),
    "a string's length": P(lambda x, s: x * len(s), each(X, "a", "abc"), 2, "a string each"),
    "bytes": P(lambda x, s: x * 2 if s == b"a" else x, each(X, b"b", b"a"), 2, "a string each"),
    "a bool": P(lambda x, b: x * 2 if b else x, each(X, True, False, True), 2, "a value each"),
    "a bool by is": P(lambda x, b: x * 2 if b is True else x, each(X, False, True), 2, "a value each"),
    "a bool as a number": P(lambda x, b: x + b, each(X, False, True), 2, "a value each"),
    "a bool, then an int": P(lambda x, b: x.long() * b, each(X, True, 1, 2), 2, "a type each"),
    "an int, then a float": P(lambda x, n: x.long() * n, each(X, 2, 2.0, 3), 2, "a type each"),
    "a complex number": P(lambda x, c: x * c.imag, each(X, 1j, 2j), 2, "a value each"),
    "a slice": P(lambda x, s: x[s] * 2, each(X, slice(0, 2), slice(1, 3)), 2, "a slice each"),
    "a range": P(lambda x, r: sum(x * i for i in r), each(X, range(2), range(3)), 2, "a range each"),
    "Ellipsis": P(lambda x, e: x * 2 if e is ... else x, each(X, ..., None), 2, "a value each"),
    "a class": P(lambda x, c: x * 2 if c is int else x, each(X, int, float), 2, "a class each"),
    "a class called": P(lambda x, c: x * c(2.5), each(X, float, int), 2, "a class each"),
    "a function": P(_called, each(X, _double, _negate, _double), 2, "a function each"),
    "a partial function": P(
        lambda x, f: f(x), each(X, partial(torch.mul, other=2), partial(torch.mul, other=3)), 2, "a function each"
    ),
    "a torch function": P(_called, each(X, torch.sin, torch.cos), 2, "a function each"),
    "an object's attribute": P(lambda x, s: x * s.factor, each(X, Settings(2.0), Settings(3.0)), 2, "a value each"),
    "an object that has an attribute": P(
        lambda x, s: x * 2 if hasattr(s, "factor") else x, each(X, Settings(2.0), Mode), 2, "an attribute more"
    ),
    "an object by is": P(lambda x, s: x * 2 if s is _THE else x, each(X, _THE, Settings(1.0)), 2, "an object each"),
    "a list's length": P(
        lambda xs: sum(xs) * len(xs), [([X, Y],), ([X],), ([X, Y, Y],), ([Y, X],)], 3, "a length each"
    ),
    "sum of a list": P(lambda xs: sum(xs), [([X, Y],), ([Y, X],)]),
    "sum of a list of numbers": P(lambda x, ns: x * sum(ns), each(X, [1, 2], [3, 4])),
    "an empty list": P(lambda x, ys: x + ys[0] if ys else x, each(X, [Y], [], [X]), 2, "a length each"),
    "a tuple's length": P(lambda x, ys: x * len(ys), each(X, (1, 2), (1,), (3, 4)), 2, "a length each"),
    "a shape as an argument": P(lambda x, s: x.reshape(s) * 2, each(torch.randn(12), (3, 4), (2, 6), (4, 3))),
    "keys of a dict": P(
        lambda d: sum(v * len(k) for k, v in d.items()), [({"a": X},), ({"bb": X},), ({"a": Y},)], 2, "keys"
    ),
    "order of a dict": P(
        lambda d: next(iter(d.values())) * 2, [({"a": X, "b": Y},), ({"b": Y, "a": X},)], 2, "an order each"
    ),
    "get of a dict": P(lambda x, d: x * d.get("n", 3), each(X, {"n": 2}, {}, {"n": 5}), 2, "keys"),
    "an OrderedDict": P(lambda d: d["a"] * 2 + d["b"], [(OrderedDict(a=X, b=Y),), (OrderedDict(a=Y, b=X),)]),
    "a named tuple": P(lambda p: p.x * 2 + p.y, [(Point(X, Y),), (Point(Y, X),)]),
    "a named tuple of numbers": P(lambda x, p: x * p.x + p.y, each(X, Point(1, 2), Point(3, 4))),
    "a list in a dataclass": P(
        lambda x, p: x + sum(p.second), each(X, Pair(X, [X, Y]), Pair(X, [Y]), Pair(X, [Y, Y])), 2, "a length each"
    ),
    "a number in a dataclass": P(lambda x, p: x * p.second, each(X, Pair(X, 2), Pair(X, 3))),
    "a set of strings": P(lambda x, s: x * 2 if "a" in s else x, each(X, {"a"}, {"b"}), 2, "a set each"),
    "a tensor twice": P(lambda x, y: x * 2 + y, [(X, X), (X, Y), (Y, Y)], 2, "inputs that are one tensor"),
    "a number in place of a tensor": P(lambda x, y: x + y, each(X, Y, 2, Y, 2.5), 3, "a type each"),
    "positional or by keyword": P(lambda x, n=2: x * n, [(X,), (X, 3), (X, 2)], 2, "numbers of arguments"),
    "requires_grad": P(lambda x, y: x * 2 if y.requires_grad else x, each(X, Y.long(), Y), 2, "another dtype"),
    "numbers of a list": P(lambda x, ns: x * ns[0] + ns[1], each(X, [1, 2], [3, 4])),
    "nested containers": P(lambda d: d["a"][0]["b"] * d["a"][1], [({"a": [{"b": X}, 2]},), ({"a": [{"b": Z}, 3]},)]),
    "a tensor by is": P(lambda x, y: x * 2 if x is y else x, [(X, Y), (Y, Z[:3])]),
    "rows of a list": P(lambda xs: torch.stack(xs).sum(0), [([X, Y],), ([X, Y, X],), ([Y, Y],)], 2, "a length each"),
    "varargs": P(lambda *xs: sum(x.sum() for x in xs), [(X, Y), (Z,), (X, Z)], 2, "numbers of arguments"),
    "a number as a string": P(lambda x, s: x * int(s), each(X, "2", "3"), 2, "a string each"),
    "an unread argument": P(lambda x, s: x * 2, each(X, "a", "b", None), 3, "compared where it may be read"),
    "flags in a dict": P(lambda x, f: x * 2 if f["on"] else x, each(X, {"on": True}, {"on": False}), 2, "a value each"),
    "rows and a flag": P(
        lambda x, b=False: x.sum(0) if b else x.sum(1), [*rows(3, 5), (torch.randn(4, 2), True)], 2, "a flag"
    ),
}
