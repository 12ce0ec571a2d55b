"""New tensors whose shapes and values are dims and numbers."""

from __future__ import annotations

import torch

from programs.program import Program as P
from programs.program import each, rows, tensors

X = torch.randn(3)

PROGRAMS = {
    "arange": P(lambda x: x + torch.arange(x.shape[0])[:, None], rows(5, 3, 1, 0)),
    "arange from": P(lambda x: torch.arange(1, x.shape[0] + 1) * x.sum(), rows(5, 3, 1, 0)),
    "arange by 2": P(lambda x: torch.arange(0, x.shape[0], 2) + x.shape[0], rows(5, 8, 1, 0)),
    "arange down": P(lambda x: torch.arange(x.shape[0], 0, -1) + x.sum(), rows(5, 8, 1)),
    "arange of floats": P(lambda x: torch.arange(0.0, x.shape[0]) + x.sum(), rows(5, 8, 1)),
    "arange by a number": P(lambda x, n: torch.arange(n) + x.sum(), each(X, 2, 5, 0)),
    "ones": P(lambda x: torch.ones(*x.shape) + x, rows(5, 3, 1, 0)),
    "zeros": P(lambda x: torch.zeros(x.shape[0], 3) + x[:, :1], rows(5, 3, 1, 0)),
    "full": P(lambda x: torch.full((x.shape[0], 3), 2.0) + x[:, :1], rows(5, 3, 1, 0)),
    "full of a dim": P(lambda x: torch.full((2,), x.shape[0]) * x.sum(), rows(5, 3, 1, 0)),
    "empty that is filled": P(lambda x: torch.empty(x.shape).fill_(2.0) + x, rows(5, 3, 1, 0)),
    "eye": P(lambda x: torch.eye(x.shape[0]) * x.sum(), rows(5, 3, 1, 0)),
    "eye of two dims": P(lambda x: torch.eye(x.shape[0], x.shape[1]) * x, rows(5, 3, 1, 0)),
    "linspace": P(lambda x: torch.linspace(0, 1, x.shape[0]) + x.sum(), rows(5, 3, 1, 0)),
    "linspace of a number": P(lambda x, n: torch.linspace(0, 1, n) + x.sum(), each(X, 5, 3, 1)),
    "tensor of dims": P(lambda x: torch.tensor([x.shape[0], x.shape[1]]) + x.sum(), rows(5, 3, 1)),
    "tensor of a number": P(lambda x, n: x + torch.tensor(n), each(X, 5, 3, -1)),
    "tensor of a float": P(lambda x, n: x + torch.tensor(n), each(X, 5.5, 3.0, -1.5)),
    "tensor of constants": P(lambda x: x + torch.tensor([1.0, 2.0]), rows(5, 3, 1, 0)),
    "zeros_like": P(lambda x: torch.zeros_like(x) + x, rows(5, 3, 1, 0)),
    "ones_like": P(lambda x: torch.ones_like(x[:2]) + x[:2], rows(5, 3, 2)),
    "full_like": P(lambda x: torch.full_like(x, 3.5) + x, rows(5, 3, 1, 0)),
    "new_zeros": P(lambda x: x.new_zeros(x.shape[0], 3) + x[:, :1], rows(5, 3, 1, 0)),
    "new_ones": P(lambda x: x.new_ones(x.shape[1]) + x, rows(5, 3, 1, 0)),
    "new_full": P(lambda x: x.new_full((x.shape[0],), 2.5)[:, None] + x, rows(5, 3, 1)),
    "new_tensor": P(lambda x: x.new_tensor([1.0, 2.0]) + x, rows(5, 3, 1)),
    "a causal mask": P(
        lambda x: x.masked_fill(torch.ones(x.shape[-1], x.shape[-1]).tril() == 0, -9.0).softmax(-1),
        tensors((2, 4, 4), (3, 5, 5), (2, 1, 1)),
    ),
    "a mask by comparison": P(lambda x: torch.where(torch.arange(x.shape[0])[:, None] < 2, x, 0.0), rows(5, 3, 1, 0)),
    "a lower triangle times": P(lambda x: torch.ones(x.shape[0], x.shape[0]).tril() @ x, rows(5, 3, 1, 0)),
    "positions": P(lambda x: _encoded(x), tensors((3, 4), (5, 4), (1, 4))),
    "a grid": P(lambda x: _grid(x), tensors((3, 4), (5, 2), (1, 1))),
    "a tensor of a shape": P(lambda x: torch.tensor(x.shape) + x.sum().long(), rows(5, 3, 1)),
    "scalar_tensor of a product": P(lambda x: torch.tensor(x.shape[0] * 2.5) * x, rows(5, 3, 1)),
}


def _encoded(x: torch.Tensor) -> torch.Tensor:
    positions = torch.arange(x.shape[0], dtype=x.dtype)[:, None]
    rates = 10.0 ** (-torch.arange(0, x.shape[1], 2) / x.shape[1])
    return x + torch.cat([(positions * rates).sin(), (positions * rates).cos()], -1)


def _grid(x: torch.Tensor) -> torch.Tensor:
    height, width = x.shape
    i = torch.arange(height)[:, None].expand(height, width)
    j = torch.arange(width)[None].expand(height, width)
    return x * (i + j)
