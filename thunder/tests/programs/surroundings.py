"""Values that a function reads from its closure, its globals, its defaults and its module are compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from programs.program import Program as P
from programs.program import each, rows

X, Y = torch.randn(3), torch.randn(3)

NUMBER: Any = 2
FLAG: Any = None
TABLE: dict[str, float] = {"factor": 2.0}


def _times_number(x: Tensor) -> Tensor:
    return x * NUMBER


def _times_table(x: Tensor) -> Tensor:
    return x * TABLE["factor"]


def _flagged(x: Tensor) -> Tensor:
    return x if FLAG is None else x * 3


def _default(x: Tensor, factor: float = 2.5) -> Tensor:
    return x * factor


def _adder(amount: Any) -> Callable[[Tensor], Tensor]:
    return lambda x: x + amount


def _over_list(amounts: list[Any]) -> Callable[[Tensor], Tensor]:
    return lambda x: x + sum(amounts) + len(amounts)


class Block(nn.Module):
    """A module with each kind of member."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.arange(6.0).reshape(3, 2))
        self.register_buffer("table", torch.arange(4.0))
        self.factor = 2
        self.kinds = ["a", "b"]
        self.bias = None

    def forward(self, x: Tensor) -> Tensor:
        x = x @ self.weight.T * self.factor + len(self.kinds)
        return x * self.table.sum() if self.bias is None else x + self.bias


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.second = nn.Linear(2, 2)
        self.second.weight = self.first.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x).relu())


class Positions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 2)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.embedding(torch.arange(x.shape[0]))


PROGRAMS = {
    "a global number": P(_times_number, rows(3, 5, 1)),
    "a global dict": P(_times_table, rows(3, 5, 1)),
    "a global None": P(_flagged, rows(3, 5, 0)),
    "a default": P(_default, [(X,), (X, 1.5), (X, 2.5)], 2, "numbers of arguments"),
    "a closure over a number": P(_adder(2), rows(3, 5, 1)),
    "a closure over a tensor": P(_adder(torch.ones(2)), rows(3, 5, 1)),
    "a closure over a list": P(_over_list([1, 2.5]), rows(3, 5, 1)),
    "a module's members": P(Block(), rows(3, 5, 1)),
    "tied parameters": P(Tied(), rows(3, 5, 1)),
    "positions up to a length": P(Positions(), rows(3, 5, 1)),
    "a list of modules": P(nn.Sequential(nn.Linear(2, 4), nn.GELU(), nn.Linear(4, 2)), rows(3, 5, 1, 0)),
    "a method": P(Block().forward, rows(3, 5, 1)),
    "a function in a function": P(lambda x: (lambda y: y * x.shape[0])(x + 1), rows(3, 5, 1)),
    "a generator": P(lambda x: sum(y * 2 for y in (x, x + 1)), rows(3, 5, 1)),
    "a comprehension over a closure": P(lambda x: torch.stack([x * n for n in (1, 2, 3)]).sum(0), rows(3, 5, 1)),
    "a try that fails": P(lambda x: _caught(x), rows(3, 5, 1)),
    "an unused number": P(lambda x, n: x * 2, each(X, 1, 2, 3)),
}


def _caught(x: Tensor) -> Tensor:
    try:
        return x + {}["missing"]
    except KeyError:
        return x * x.shape[0]
