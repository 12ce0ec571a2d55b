"""What Python decides on a dim or number is decided again for each call."""

from __future__ import annotations

import torch
from torch import Tensor

from programs.program import Program as P
from programs.program import each, pairs, rows, tensors

X = torch.randn(3)
BRANCH = "a branch"

PROGRAMS = {
    "if greater": P(lambda x: x + 1 if x.shape[0] > 4 else x - 1, rows(5, 3, 9, 2), 2, BRANCH),
    "if equal": P(lambda x: x + 1 if x.shape[0] == 3 else x - 1, rows(5, 3, 9), 3, "less, equal or more"),
    "if a tensor's dim is truthy": P(lambda x: x + 1 if x.shape[0] else x - 1, rows(5, 0, 3), 2, BRANCH),
    "if even": P(lambda x: x + 1 if x.shape[0] % 2 == 0 else x - 1, rows(4, 3, 8, 5), 2, BRANCH),
    "if dims are equal": P(lambda x: x @ x if x.shape[0] == x.shape[1] else x, rows(2, 3, 5), 3, "less, equal or more"),
    "if numel": P(lambda x: x + 1 if x.numel() > 6 else x - 1, rows(4, 3, 8), 2, BRANCH),
    "if len": P(lambda x: x + 1 if len(x) > 3 else x - 1, rows(4, 3, 8), 3, "len is an exact number"),
    "if rank": P(lambda x: x.sum(-1) if x.ndim == 2 else x, tensors((2, 3), (4,), (5, 4)), 2, "a rank each"),
    "if dim()": P(lambda x: x.sum(-1) if x.dim() > 1 else x, tensors((2, 3), (4,), (5, 4)), 2, "a rank each"),
    "if shapes are equal": P(
        lambda a, b: a + b if a.shape == b.shape else a.sum() + b.sum(),
        pairs(((2, 3), (2, 3)), ((2, 3), (3, 2)), ((4, 5), (4, 5))),
        2,
        BRANCH,
    ),
    "if the shape is a constant": P(
        lambda x: x + 1 if x.shape == (3, 2) else x - 1, rows(5, 3, 9), 3, "less, equal or more"
    ),
    "if size() differs": P(lambda x: x + 1 if x.size() != (3, 2) else x - 1, rows(5, 3, 9), 3, "less, equal or more"),
    "if size(0)": P(lambda x: x + 1 if x.size(0) > 4 else x - 1, rows(5, 3, 9), 2, BRANCH),
    "if chained": P(lambda x: x + 1 if 2 < x.shape[0] < 5 else x - 1, rows(3, 7, 1, 4), 3, "below, between or above"),
    "if and": P(lambda x: x + 1 if x.shape[0] > 2 and x.shape[1] > 1 else x - 1, rows(3, 1, 7), 2, BRANCH),
    "if or": P(lambda x: x + 1 if x.shape[0] > 2 or x.shape[1] > 2 else x - 1, rows(3, 1, 7), 2, BRANCH),
    "if not": P(lambda x: x + 1 if not x.shape[0] > 2 else x - 1, rows(3, 1, 7), 2, BRANCH),
    "if a number": P(lambda x, n: x + 1 if n > 2 else x - 1, each(X, 3, 1, 7), 2, BRANCH),
    "if numbers are equal": P(lambda x, n, m: x + n if n == m else x - m, [(X, 1, 1), (X, 2, 2), (X, 2, 3)], 2, BRANCH),
    "if a number is near": P(lambda x, f: x + 1 if abs(f - 1.0) < 1e-3 else x, each(X, 1.0, 2.0, 1.0005), 2, BRANCH),
    "a loop over rows": P(lambda x: sum(x[i] for i in range(x.shape[0])), rows(4, 6, 4), 2, "a loop count"),
    "a loop over an iterator": P(lambda x: sum(row * 2 for row in x), rows(4, 2, 4), 2, "a loop count"),
    "a loop over enumerate": P(lambda x: sum(row * i for i, row in enumerate(x)), rows(4, 2, 4), 2, "a loop count"),
    "a loop over no rows": P(lambda x: x.sum() + sum(row.sum() for row in x), rows(4, 0, 4), 2, "a loop count"),
    "enumerate of no rows": P(lambda x: x.sum() + sum(i for i, _ in enumerate(x)), rows(4, 0), 2, "a loop count"),
    "a loop over a halved count": P(
        lambda x: sum(x[i] for i in range(x.shape[0] // 2)), rows(4, 5, 6), 2, "a loop count"
    ),
    "a loop over a number": P(lambda x, n: sum(x * i for i in range(n)), each(X, 3, 2, 3), 2, "a loop count"),
    "a while loop": P(lambda x: _halved(x), rows(9, 8, 3, 5), 3, "a loop count"),
    "zip of rows": P(
        lambda a, b: sum(p * q for p, q in zip(a, b)), pairs(((3, 2), (3, 2)), ((4, 2), (4, 2))), 2, "a loop count"
    ),
    "a list of rows": P(lambda x: torch.stack(list(x)[::-1]), rows(3, 2, 3), 2, "a loop count"),
    "an unpacking of rows": P(lambda x: _first_and_rest(x), rows(3, 2, 4), 3, "a loop count"),
    "an unpacking of a shape": P(lambda x: _area(x), rows(3, 2, 4)),
    "a starred shape": P(lambda x: _leading(x), tensors((2, 3, 4), (5, 1, 2), (3, 3, 3))),
    "an assertion": P(lambda x: _asserted(x), rows(3, 2, 4)),
    "an assertion that fails": P(lambda x: _asserted(x), rows(3, 0, 4)),
    "recursion": P(lambda x: _sum_tree(x), rows(4, 2, 4), 2, "a loop count"),
    "min of branches": P(lambda x: x[: 2 if x.shape[0] > 4 else 1] * 2, rows(3, 6, 4), 2, BRANCH),
    "accumulation in a list": P(lambda x: _pyramid(x), tensors((8,), (4,), (16,)), 3, "a loop count"),
    "break": P(lambda x: _until(x), rows(3, 5, 2), 3, "a loop count"),
    "a branch that never runs": P(lambda x: x + 1 if x.shape[0] < 0 else x - 1, rows(3, 5, 0)),
    "a branch on a product": P(lambda x: x + 1 if x.shape[0] * x.shape[1] > 8 else x - 1, rows(3, 5, 4), 2, BRANCH),
    "a match statement": P(lambda x: _matched(x), tensors((2, 3), (4,), (3, 4), (2, 3, 4)), 3, "a rank each"),
}


def _halved(x: Tensor) -> Tensor:
    while x.shape[0] > 2:
        x = x[::2] * 1.5
    return x


def _first_and_rest(x: Tensor) -> Tensor:
    first, *rest = x
    return first * len(rest)


def _area(x: Tensor) -> Tensor:
    height, width = x.shape
    return x * (height * width)


def _leading(x: Tensor) -> Tensor:
    *leading, last = x.shape
    return x.reshape(-1, last).sum(0) * len(leading)


def _asserted(x: Tensor) -> Tensor:
    assert x.shape[0] > 0, "no rows"
    return x * 2


def _sum_tree(x: Tensor) -> Tensor:
    n = x.shape[0]
    return x[0] if n == 1 else _sum_tree(x[: n // 2]) + _sum_tree(x[n // 2 :])


def _pyramid(x: Tensor) -> Tensor:
    levels = [x]
    while levels[-1].shape[0] > 2:
        levels.append(levels[-1][::2])
    return torch.cat(levels)


def _until(x: Tensor) -> Tensor:
    total = x.sum()
    for i in range(10):
        if i >= x.shape[0]:
            break
        total = total + i
    return total


def _matched(x: Tensor) -> Tensor:
    match tuple(x.shape):
        case (_,):
            return x * 2
        case (n, _):
            return x * n
        case _:
            return x
