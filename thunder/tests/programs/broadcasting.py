"""Operands of other ranks and dims of 1, and what their gradients sum."""

from __future__ import annotations

import torch

from programs.program import Program as P
from programs.program import pairs, rows, tensors

WHICH = "which operand is repeated"
SAME = (((3,), (3,)), ((5,), (5,)), ((1,), (1,)))
RANKS = (((2, 3), (3,)), ((5, 4), (4,)), ((1, 3), (3,)))

PROGRAMS = {
    "a sum of the other": P(lambda x, y: x + y.sum(), pairs(((3,), (3,)), ((3,), (5,)), ((0,), (2,)))),
    "a mean of the other": P(lambda x, y: x * y.mean(), pairs(((3,), (3,)), ((3,), (5,)), ((4,), (2,)))),
    "a tensor without dims": P(lambda x, y: x * y, pairs(((3,), ()), ((5,), ()), ((0,), ()))),
    "a tensor without dims first": P(lambda x, y: y - x, pairs(((3,), ()), ((5,), ()), ((1,), ()))),
    "both without dims": P(lambda x, y: x.sum() * y.sum(), pairs(((3,), (2,)), ((5,), (1,)))),
    "where of tensors without dims": P(lambda x, y: torch.where(x > 0, x, y.sum()), pairs(*SAME)),
    "where both without dims": P(lambda x, y: torch.where(x > 0, x.sum(), y.sum()), pairs(*SAME)),
    "addcmul": P(lambda x, y: torch.addcmul(x, y.sum(), y, value=2), pairs(*SAME)),
    "addcdiv": P(lambda x, y: torch.addcdiv(x.sum(), y, y.exp()), pairs(*SAME)),
    "lerp": P(lambda x, y: torch.lerp(x, y.sum(), 0.3), pairs(*SAME)),
    "lerp by a tensor": P(lambda x, y: torch.lerp(x, y, x.sum()), pairs(*SAME)),
    "clamp by tensors": P(lambda x, y: torch.clamp(x, y.sum() - 1, y.sum() + 1), pairs(*SAME)),
    "pow of tensors": P(lambda x, y: x.exp() ** y.sum(), pairs(*SAME)),
    "maximum": P(lambda x, y: torch.maximum(x, y.sum()), pairs(*SAME)),
    "minimum": P(lambda x, y: torch.minimum(x.sum(), y), pairs(*SAME)),
    "atan2": P(lambda x, y: torch.atan2(x, y.sum()), pairs(*SAME)),
    "comparison": P(lambda x, y: (x > y.sum()) * x, pairs(*SAME)),
    "division": P(lambda x, y: x / y.exp().sum(), pairs(*SAME)),
    "subtraction with alpha": P(lambda x, y: torch.sub(x, y.sum(), alpha=3), pairs(*SAME)),
    "remainder": P(lambda x, y: x.abs() % y.exp().sum(), pairs(*SAME)),
    "a vector and a matrix": P(lambda a, b: a + b, pairs(*RANKS)),
    "a matrix and a vector": P(lambda a, b: b * a, pairs(*RANKS)),
    "a column": P(lambda a, b: a * b[:, None], pairs(((2, 3), (2,)), ((5, 4), (5,)), ((1, 3), (1,)))),
    "rows that may be 1": P(
        lambda a, b: a + b,
        pairs(((4, 3), (4, 3)), ((6, 2), (6, 2)), ((4, 3), (1, 3)), ((1, 3), (4, 3))),
        3,
        WHICH,
    ),
    "rows that do not fit": P(lambda a, b: a + b, pairs(((4, 3), (4, 3)), ((4, 3), (2, 3)), ((2, 3), (2, 3)))),
    "kept dims": P(lambda x: x - x.mean(0, keepdim=True), rows(5, 3, 1)),
    "kept last dims": P(lambda x: x / x.exp().sum(-1, keepdim=True), rows(5, 3, 1, 0)),
    "normalised": P(lambda x: (x - x.mean()) / (x.var(correction=0) + 1), rows(5, 3, 1)),
    "outer": P(lambda a, b: a[:, None] * b[None], pairs(((2,), (3,)), ((5,), (4,)), ((1,), (1,)))),
    "pairwise differences": P(lambda x: (x[:, None] - x[None]).square().sum(-1), rows(5, 3, 1, 0)),
    "expand to another": P(lambda a, b: a.expand(b.shape[0], a.shape[1]) * 2, pairs(((1, 4), (3,)), ((1, 5), (6,)))),
    "expand_as another": P(lambda a, b: a.expand_as(b) * 2, pairs(((1, 4), (3, 4)), ((1, 5), (6, 5)))),
    "broadcast_tensors": P(lambda a, b: torch.broadcast_tensors(a, b)[1] * 2, pairs(*RANKS)),
    "a scalar times": P(lambda x: x * 2.5 + 1, rows(5, 3, 1, 0)),
    "a weighted sum": P(lambda a, b: (a * b.softmax(0)).sum(), pairs(((3,), (3,)), ((5,), (5,)), ((1,), (1,)))),
    "three ranks": P(lambda x: x + x.sum(0) + x.sum(), tensors((2, 3), (4, 1), (1, 5))),
}
