"""Where eager raises the compiled program raises, and serves the next call."""

from __future__ import annotations

import torch

from programs.program import Program as P
from programs.program import each, pairs, rows, tensors

X = torch.randn(3)

PROGRAMS = {
    "division by a dim of 0": P(lambda x: x.sum() + 6 // x.shape[0], rows(5, 0, 3)),
    "modulo by a number of 0": P(lambda x, n: x + 6 % n, each(X, 4, 0, 5)),
    "root of a negative": P(lambda x: x * (x.shape[0] - 3.5) ** 0.5, rows(5, 4)),
    "a raise": P(lambda x: _limited(x), rows(3, 9, 4)),
    "a row beyond": P(lambda x: x[4] * 2, rows(5, 3, 6)),
    "a row by a number beyond": P(lambda x, n: x[n] * 2, each(X, 2, 3, 1)),
    "an entry of a list beyond": P(lambda x: x * [1, 2, 3, 4][x.shape[0]], rows(2, 4, 3), 2, "an entry of a list"),
    "a missing key": P(lambda x, d: x * d["n"], each(X, {"n": 2}, {"m": 2}, {"n": 3})),
    "sizes that do not fit": P(lambda a, b: a * b, pairs(((3,), (3,)), ((3,), (2,)), ((2,), (2,)))),
    "cat that does not fit": P(
        lambda a, b: torch.cat([a, b]), pairs(((3, 2), (1, 2)), ((3, 2), (1, 3)), ((1, 1), (1, 1)))
    ),
    "stack that does not fit": P(lambda a, b: torch.stack([a, b]), pairs(((3,), (3,)), ((3,), (2,)), ((2,), (2,)))),
    "a reshape that does not fit": P(lambda x: x.reshape(2, 3) * 2, tensors((6,), (5,), (3, 2)), 2, "a rank each"),
    "a view that does not fit": P(lambda x: x.view(3, -1) * 2, tensors((6,), (5,), (3,))),
    "an expand that does not fit": P(lambda x: x.expand(3) * 2, tensors((1,), (2,), (3,)), 2, "whether it is repeated"),
    "a matmul of vectors": P(lambda a, b: a @ b, pairs(((3,), (3,)), ((3,), (2,)))),
    "a chunk of nothing": P(lambda x, n: x.chunk(n)[0], each(X, 2, 0, 2)),
    "an unpacking that does not fit": P(lambda x: _pair(x), rows(2, 3, 2)),
    "a permutation of another rank": P(lambda x: x.permute(1, 0), tensors((2, 3), (2, 3, 4), (4, 5))),
    "a negative length": P(lambda x: torch.ones(x.shape[0] - 3) * x.sum(), rows(5, 2, 3)),
    "a convolution that does not fit": P(
        lambda x: torch.nn.functional.conv1d(x, torch.ones(1, 1, 4)), tensors((1, 1, 6), (1, 1, 3), (1, 1, 5))
    ),
    "a number in place of a string": P(lambda x, s: x * len(s), each(X, "ab", 3)),
    "None in place of a tensor": P(lambda x, y: x + y, each(X, X, None, X)),
}


def _limited(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] > 8:
        raise ValueError(f"at most 8 rows, got {x.shape[0]}")
    return x * 2


def _pair(x: torch.Tensor) -> torch.Tensor:
    a, b = x
    return a * b
