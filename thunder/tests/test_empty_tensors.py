"""Operations on dims of 0 and 1: values and gradients are eager's, for both caches and in both orders of calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import thunder
import torch
import torch.nn.functional as F
from torch.utils._pytree import tree_leaves

from comparison import assert_same_as_eager

ROWS = ((4, 3), (0, 3), (1, 3))
IMAGES = ((2, 2, 4, 4), (0, 2, 4, 4), (1, 2, 5, 4))

PROGRAMS: dict[str, Callable[[torch.Tensor], Any]] = {
    "enumerate": lambda x: [i * row for i, row in enumerate(x)],
    "unbind": lambda x: list(x.unbind(0)) + list(x.unbind(1)),
    "for": lambda x: [row * 2 for row in x] + [x],
    "unpacked": lambda x: torch.stack([*x, x.sum(0)]),
    "split": lambda x: [part * 2 for part in x.split(2)],
    "tril": lambda x: torch.ones(x.shape[0], x.shape[0]).tril() @ x,
    "eye": lambda x: torch.eye(x.shape[0]) @ x + torch.eye(x.shape[0], x.shape[1]) * x,
    "eye of integers": lambda x: torch.eye(x.shape[0], dtype=torch.int64).sum() * x,
    "linspace": lambda x: torch.linspace(0, 1, x.shape[0])[:, None] * x,
    "linspace of integers": lambda x: torch.linspace(-3, 8, x.shape[0], dtype=torch.int64)[:, None] * x,
    "arange": lambda x: torch.arange(x.shape[0])[:, None] * x,
    "matrix and vector": lambda x: (x @ x.sum(0)).sum() * (x.t() @ x.sum(1)),
    "vector and matrix": lambda x: (x.sum(0) @ x.t()).sum() * (x.sum(1) @ x),
    "matrices and vector": lambda x: x[None] @ x.sum(0) + x.sum(0) @ x.t()[None],
    "vectors": lambda x: x.sum(1) @ x.sum(1),
    "batches": lambda x: torch.bmm(x[None], x.t()[None]) + torch.einsum("ij,kj->ik", x, x),
    "softmax": lambda x: x.softmax(0) + x.log_softmax(0) + x.softmax(1) + x.log_softmax(1),
    "logsumexp": lambda x: x.logsumexp(0) + x.logsumexp(1).sum() + x.logsumexp((0, 1), keepdim=True),
    "variance": lambda x: x.var(1, unbiased=False).sum() + x.std(1, True) + torch.var_mean(x, 1, False)[0],
    "reductions": lambda x: x.sum(0) + x.mean(1).sum() + x.prod(0) + x.amax(1).sum() + x.norm(dim=1).sum(),
    "cat": lambda x: torch.cat([x, torch.zeros(0), x[:1]]),
    "layer_norm": lambda x: F.layer_norm(x, (3,)) + F.rms_norm(x, (3,)),
    "scatter": lambda x: x.scatter_add(1, torch.zeros(x.shape[0], 2, dtype=torch.long), x[:, :2]),
    "flip": lambda x: x.flip(0) + x.roll(1, 0),
}
ON_IMAGES: dict[str, Callable[[torch.Tensor], Any]] = {
    "convolution": lambda x: F.conv2d(x, torch.ones(2, 2, 2, 2), padding=1),
    "pooling": lambda x: F.max_pool2d(x, 2) + F.avg_pool2d(x, 2),
    "padding": lambda x: F.pad(x, (1, 1, 0, 2)),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
}
CASES = {**{name: (f, ROWS) for name, f in PROGRAMS.items()}, **{name: (f, IMAGES) for name, f in ON_IMAGES.items()}}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_symbolic_values(name: str, reverse: bool) -> None:
    program, shapes = CASES[name]
    calls = [(torch.randn(shape),) for shape in (shapes[::-1] if reverse else shapes)]
    assert_same_as_eager(program, calls, with_grad=True)


@pytest.mark.parametrize("name", CASES)
def test_constant_values(name: str) -> None:
    program, shapes = CASES[name]
    jitted = thunder.jit(program)
    for shape in shapes:
        x = torch.randn(shape, requires_grad=True)
        results = []
        for function in (jitted, program):
            outputs = tree_leaves(function(x))
            gradient = torch.autograd.grad(sum((o * o).sum() for o in outputs), x) if outputs else None
            results.append((outputs, gradient))
        torch.testing.assert_close(*results, rtol=1e-4, atol=1e-4, equal_nan=True)
