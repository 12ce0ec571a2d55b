"""Splits: the number of parts is decided, their bounds are not."""

from __future__ import annotations

import torch

from programs.program import Program as P
from programs.program import each, rows, tensors

X = torch.randn(6, 4)
PARTS = "a number of parts each"

PROGRAMS = {
    "split": P(lambda x: x.split(2)[0] * 2, rows(4, 3, 6), 2, PARTS),
    "split of no rows": P(lambda x: [y * 2 for y in x.split(2)], rows(3, 0, 4), 3, PARTS),
    "parts of a split": P(lambda x: [y * i for i, y in enumerate(x.split(2))], rows(3, 4, 1), 2, PARTS),
    "split in half": P(lambda x: x.split(x.shape[1] // 2, 1)[0] * 2, tensors((3, 4), (2, 6), (8, 2))),
    "split by lengths": P(lambda x: x.split([1, x.shape[0] - 1])[1] * 2, rows(3, 2, 6)),
    "split by numbers": P(
        lambda x, p, q: x.split([p, q, x.shape[1] - p - q], 1)[1] * 2, [(X, 1, 2), (X, 2, 1), (X, 1, 1)]
    ),
    "split of a fixed dim": P(lambda x: x.split(4, 1)[1] * 2, tensors((3, 12), (5, 12), (1, 12))),
    "split by wrong lengths": P(lambda x: x.split([2, 1])[0] * 2, rows(3, 4, 3)),
    "chunk": P(lambda x: torch.stack(x.chunk(4)).sum(0), rows(8, 12, 16)),
    "chunk of a last dim": P(lambda x: _gated(x), tensors((2, 4), (3, 6), (1, 2))),
    "chunk unevenly": P(lambda x: x.chunk(3)[-1] * 2, tensors((5,), (8,), (11,))),
    "chunk into fewer": P(lambda x: len(x.chunk(4)) * x, rows(8, 5, 2, 0), 4, PARTS),
    "chunk by a number": P(lambda x, n: x.chunk(n)[0] * 2, each(X, 2, 3, 2), 2, PARTS),
    "unbind": P(lambda x: x.unbind(1)[0] * 2, rows(5, 3, 1)),
    "unbind of rows": P(lambda x: x.unbind(0)[-1] * 2, rows(5, 3, 5), 2, PARTS),
    "unbind of no rows": P(lambda x: x.sum() + len(x.unbind(0)), rows(5, 0), 2, PARTS),
    "tensor_split": P(lambda x: x.tensor_split(3)[1] * 2, tensors((5,), (8,), (9,), (1,))),
    "tensor_split at indices": P(lambda x: x.tensor_split((1, 3))[1] * 2, rows(5, 2, 8)),
    "queries, keys and values": P(lambda x: _attended(x), tensors((2, 3, 12), (1, 5, 12), (4, 1, 24))),
    "unflatten": P(lambda x: x.unflatten(1, (2, -1)).sum(1), tensors((3, 4), (2, 6), (1, 2))),
    "cat of chunks": P(lambda x: torch.cat(x.chunk(2)[::-1]), rows(4, 6, 2)),
    "stack and unstack": P(lambda x: torch.stack([x, x * 2]).unbind(0)[1], rows(4, 6, 1, 0)),
    "windows": P(lambda x: x.unfold(0, 2, 1) * 2, rows(4, 6, 2)),
    "blocks": P(lambda x: x.reshape(-1, 2, 2).sum(1), rows(4, 6, 2)),
}


def _gated(x: torch.Tensor) -> torch.Tensor:
    a, b = x.chunk(2, -1)
    return a * b.sigmoid()


def _attended(x: torch.Tensor) -> torch.Tensor:
    q, k, v = x.chunk(3, -1)
    return (q @ k.mT).softmax(-1) @ v
