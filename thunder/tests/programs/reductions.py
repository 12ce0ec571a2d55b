"""Sums, extrema and scans over symbolic dims, those of 0 and 1 included."""

from __future__ import annotations

import torch

from programs.program import Program as P
from programs.program import each, rows, tensors

X = torch.randn(3, 4)

PROGRAMS = {
    "sum": P(lambda x: x.sum(), rows(5, 3, 1, 0)),
    "sum of rows": P(lambda x: x.sum(0), rows(5, 3, 1, 0)),
    "sum of two dims": P(lambda x: x.sum((0, 1)), rows(5, 3, 1, 0)),
    "sum by a number": P(lambda x, n: x.sum(n), each(X, 0, 1, -1), 3, "a dim each"),
    "mean": P(lambda x: x.mean(), rows(5, 3, 1)),
    "mean of rows": P(lambda x: x.mean(0), rows(5, 3, 1, 0)),
    "mean of columns": P(lambda x: x.mean(-1), tensors((4, 3), (2, 7), (1, 1))),
    "mean by a dim": P(lambda x: x.sum(0) / x.shape[0], rows(5, 3, 1)),
    "variance": P(lambda x: x.var(-1), tensors((4, 3), (2, 7), (1, 2))),
    "variance without correction": P(lambda x: x.var(0, correction=0), rows(5, 3, 1)),
    "standard deviation": P(lambda x: x.std(0, correction=0), rows(5, 3, 2)),
    "var_mean": P(lambda x: torch.var_mean(x, 0)[1], rows(5, 3, 2)),
    "prod": P(lambda x: x.prod(0), rows(5, 3, 1, 0)),
    "amax": P(lambda x: x.amax(0), rows(5, 3, 1)),
    "amax of no rows": P(lambda x: x.amax(0), rows(5, 0, 1)),
    "max and its index": P(lambda x: x.max(0)[0] * 2, rows(5, 3, 1)),
    "min": P(lambda x: x.min(), rows(5, 3, 1)),
    "argmax": P(lambda x: x.argmax(0), rows(5, 3, 1)),
    "argmin": P(lambda x: x.argmin(-1), rows(5, 3, 1)),
    "any": P(lambda x: (x > 1).any(0), rows(5, 3, 1, 0)),
    "all": P(lambda x: (x > 1).all(), rows(5, 3, 1, 0)),
    "cumsum": P(lambda x: x.cumsum(0), rows(5, 3, 1, 0)),
    "logsumexp": P(lambda x: x.logsumexp(-1), rows(5, 3, 1, 0)),
    "softmax": P(lambda x: x.softmax(0), rows(5, 3, 1, 0)),
    "log_softmax": P(lambda x: x.log_softmax(-1), rows(5, 3, 1, 0)),
    "norm": P(lambda x: torch.linalg.vector_norm(x, dim=-1), rows(5, 3, 1)),
    "norm by hand": P(lambda x: (x * x).sum(-1, keepdim=True).rsqrt() * x, rows(5, 3, 1, 0)),
    "item": P(lambda x: x * x.sum().item(), rows(5, 3, 1)),
    "a reduction and a dim": P(lambda x: x.sum() / x.shape[0] + x.shape[1], rows(5, 3, 1)),
    "sum of no dims": P(lambda x: x.sum(()), rows(5, 3, 1)),
    "count of positives": P(lambda x: (x > 0).sum() / x.numel(), rows(5, 3, 1)),
}
