"""Integers, slices and tensors as indices."""

from __future__ import annotations

import torch

from programs.program import Program as P
from programs.program import each, pairs, rows, tensors

I = torch.tensor([1, 0])  # noqa: E741
X = torch.randn(6, 2)
_LENGTHS = pairs(((8,), (8, 7)), ((0,), (0, 2)), ((3,), (3, 5)))

PROGRAMS = {
    "the first row": P(lambda x: x[0] * 2, rows(5, 3, 1)),
    "the last row": P(lambda x: x[-1] * 2, rows(5, 3, 1)),
    "the row before a dim": P(lambda x: x[x.shape[0] - 1] * 2, rows(5, 3, 1)),
    "a row that is missing": P(lambda x: x[3] * 2, rows(5, 3, 4)),
    "a row in the middle": P(lambda x: x[x.shape[0] // 2] * 2, rows(5, 3, 1)),
    "the last column": P(lambda x: x[:, -1] * 2, tensors((5, 2), (3, 4), (1, 1))),
    "the last position of each": P(lambda x: x[:, -1, :] * 2, tensors((2, 3, 4), (5, 1, 4), (1, 6, 2))),
    "a row by a number": P(lambda x, n: x[n] * 2, each(X, 0, 3, 1)),
    "a row from the end by a number": P(lambda x, n: x[-n] * 2, each(X, 2, 3, 1)),
    "a slice up to": P(lambda x: x[:3] * 2, rows(5, 3, 2, 0)),
    "a slice from": P(lambda x: x[3:] * 2, rows(5, 3, 2, 0)),
    "a slice from the end": P(lambda x: x[-3:] * 2, rows(5, 2, 3, 0)),
    "a slice up to the end": P(lambda x: x[:-1] * 2, rows(5, 2, 1, 0)),
    "a slice of the middle": P(lambda x: x[1:-1] * 2, rows(5, 2, 1, 0)),
    "a slice by a half": P(lambda x: x[: x.shape[0] // 2] * 2, rows(6, 9, 1, 0)),
    "the other half": P(lambda x: x[x.shape[0] // 2 :] * 2, rows(6, 9, 1, 0)),
    "a slice to the last dim": P(lambda x: x[..., : x.shape[-1]] * 2, tensors((4, 5), (7, 3), (1, 9))),
    "a slice beyond the end": P(lambda x: x[:100] + x[0 : x.shape[0]], rows(5, 3, 1, 0)),
    "a slice without elements": P(lambda x: x[3:2] * 2, rows(5, 3, 1)),
    "a slice with a stride": P(lambda x: x[::2] * 2, rows(5, 8, 1, 0)),
    "a slice with a start and a stride": P(lambda x: x[1::3] * 2, rows(5, 8, 1, 0)),
    "a slice by a number": P(lambda x, n: x[:n] * 2, each(X, 2, 3, 0)),
    "a slice by a number beyond": P(lambda x, n: x[:n] * 2, each(X, 2, 9, 6)),
    "a slice by a negative number": P(lambda x, n: x[:n] * 2, each(X, 2, -1, 3), 2, "from the end"),
    "a slice by two numbers": P(lambda x, n, m: x[n:m] * 2, [(X, 1, 3), (X, 2, 5), (X, 0, 2)]),
    "a slice by min": P(lambda x: x[: min(x.shape[0], 3)] * 2, rows(5, 2, 3, 0)),
    "min and max": P(lambda a: a[: min(a.shape[0], 3), : max(1, a.shape[1] // 2)] * 2, tensors((5, 4), (2, 7), (3, 1))),
    "a slice by another's dim": P(lambda x, y: x[: y.shape[0]] + y, [(X, X[:3]), (X, X[:2]), (X, X[:5])]),
    "two slices": P(lambda x: x[1:, :-1] * 2, tensors((5, 2), (3, 4), (1, 1))),
    "differences": P(lambda x: x[1:] - x[:-1], rows(5, 3, 2, 1)),
    "an ellipsis": P(lambda x: x[..., 0] * 2, tensors((5, 2), (3, 4), (1, 1))),
    "an ellipsis in the middle": P(lambda x: x[0, ..., 0] * 2, tensors((5, 2, 3), (3, 4, 1), (1, 1, 2))),
    "a new dim": P(lambda x: x[None] * 2, rows(5, 3, 1)),
    "a new dim before the last": P(lambda x: x[..., None, :] * 2, rows(5, 3, 1, 0)),
    "a new dim at the end": P(lambda x: x[:, :, None] * 2, rows(5, 3, 1, 0)),
    "the length of a slice whose bound is known later": P(
        lambda x, y: _sliced_length(x, y), _LENGTHS, 2, "no elements"
    ),
    "a tensor of indices": P(lambda x: x[I] * 2, rows(5, 3, 2)),
    "a list of indices": P(lambda x: x[[0, 1]] * 2, rows(5, 3, 2)),
    "indices of columns": P(lambda x: x[:, I] * 2, rows(5, 3, 1)),
    "two tensors of indices": P(lambda x: x[I, I] * 2, rows(5, 3, 2)),
    "a range of indices": P(lambda x: x[torch.arange(x.shape[0] // 2)] * 2, rows(4, 6, 2)),
    "indices that are given": P(
        lambda x, i: x[i] * 2, each(X, torch.tensor([0, 3]), torch.tensor([1]), torch.tensor([0, 1, 2]))
    ),
    "narrow": P(lambda x: x.narrow(0, 1, 2) * 2, rows(5, 3, 4)),
    "narrow by a half": P(lambda x: x.narrow(0, 0, x.shape[0] // 2) * 2, rows(5, 3, 4)),
    "narrow beyond": P(lambda x: x.narrow(0, 1, 3) * 2, rows(5, 3, 4), 1),
    "select": P(lambda x: x.select(0, 1) * 2, rows(5, 3, 2)),
    "select from the end": P(lambda x: x.select(0, -1) * 2, rows(5, 3, 1)),
    "index_select": P(lambda x: x.index_select(0, I) * 2, rows(5, 3, 2)),
    "gather": P(lambda x: x.gather(0, torch.zeros_like(x, dtype=torch.int64)) * 2, rows(5, 3, 2)),
    "take_along_dim": P(lambda x: torch.take_along_dim(x, x.long() * 0, 0) * 2, rows(5, 3, 2)),
    "index_add": P(lambda x: x.index_add(0, I, x[:2]) * 2, rows(5, 3, 2)),
    "scatter_add": P(lambda x: x.scatter_add(0, torch.zeros_like(x, dtype=torch.int64), x) * 2, rows(5, 3, 2)),
    "index_put": P(lambda x: x.index_put((I,), x[:2] * 3) * 2, rows(5, 3, 2)),
    "index_copy": P(lambda x: x.index_copy(0, I, x[:2] * 3) * 2, rows(5, 3, 2)),
    "flip": P(lambda x: x.flip(0) * 2, rows(5, 3, 1, 0)),
    "flip of both": P(lambda x: x.flip(0, 1) * 2, rows(5, 3, 1)),
    "roll": P(lambda x: x.roll(1, 0) * 2, rows(5, 3, 1, 0)),
    "roll by a dim": P(lambda x: x.roll(x.shape[0] // 2, 0) * 2, rows(5, 3, 1)),
    "topk": P(lambda x: x.topk(1, 0)[0] * 2, rows(5, 3, 1)),
    "sort": P(lambda x: x.sort(0)[0] * 2, rows(5, 3, 1)),
    "argsort": P(lambda x: x.argsort(0), rows(5, 3, 1)),
    "masked_fill": P(lambda x: x.masked_fill(x > 0, 1.0) * 2, rows(5, 3, 1, 0)),
    "where": P(lambda x: torch.where(x > 0, x, -x), rows(5, 3, 1, 0)),
    "a one-hot encoding": P(lambda x: torch.nn.functional.one_hot(x.argmax(1), x.shape[1]), tensors((3, 4), (2, 5))),
}


def _sliced_length(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, int]:
    part = x[y.numel() // 3 : y.shape[1]]
    return y.roll(1, 0) if y.numel() == 0 else y * 2, len(part)
