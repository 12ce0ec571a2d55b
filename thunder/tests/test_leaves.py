"""A leaf that changes between calls changes the result as in eager, wherever the program finds it."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from comparison import assert_same_as_eager, specializations


class Mode(enum.Enum):
    A = 1
    B = 2


class Plain:
    pass


_X = torch.arange(6.0).reshape(2, 3)

# Two values of each kind, and a function that tells them apart
_KINDS: dict[str, tuple[Any, Any, Callable[[torch.Tensor, Any], torch.Tensor]]] = {
    "none or tensor": (None, torch.ones(3), lambda x, y: x if y is None else x + y),
    "enum member": (Mode.A, Mode.B, lambda x, e: x * 2 if e is Mode.A else x),
    "dtype": (torch.float32, torch.float64, lambda x, d: x.to(d)),
    "memory format": (
        torch.contiguous_format,
        torch.preserve_format,
        lambda x, f: x * 2 if f is torch.contiguous_format else x,
    ),
    "size": (torch.Size((3,)), torch.Size((2, 3)), lambda x, s: x + torch.ones(s)),
    "class": (Mode, Plain, lambda x, c: x * 2 if c is Mode else x),
    "function": (math.sin, math.cos, lambda x, f: x * 2 if f is math.sin else x),
    "bytes": (b"a", b"b", lambda x, b: x * 2 if b == b"a" else x),
    "range": (range(2), range(3), lambda x, r: x * len(r)),
    "frozenset": (frozenset({1}), frozenset({1, 2}), lambda x, s: x * 2 if 2 in s else x),
    "ellipsis": (..., None, lambda x, i: x[i] * 2),
}


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("place", ["positional", "list", "dict"])
def test_arguments(kind: str, place: str) -> None:
    first, second, function = _KINDS[kind]
    pack = {"positional": lambda v: v, "list": lambda v: [v], "dict": lambda v: {"k": v}}[place]
    unpack = {"positional": lambda v: v, "list": lambda v: v[0], "dict": lambda v: v["k"]}[place]
    for values in ([first, second, first], [second, first, second]):
        calls = [(_X, pack(value)) for value in values]
        jitted = assert_same_as_eager(lambda x, v: function(x, unpack(v)), calls)
        assert specializations(jitted) == 2
