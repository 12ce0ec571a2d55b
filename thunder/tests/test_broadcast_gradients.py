"""Every elementwise operation of two and three tensors, between all ranks: values and gradients are eager's."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import thunder
import torch

from elementwise import elementwise_operations

RANKS = range(4)
DIMS = (0, 1, 3)
SAMPLES = 3
OPERATIONS = elementwise_operations()

Shapes = tuple[tuple[int, ...], ...]


@functools.cache
def _broadcastable(ranks: tuple[int, ...]) -> list[Shapes]:
    """Return all shapes of these ranks that broadcast, in an order that is fixed and has no pattern."""
    fitting = []
    for shapes in itertools.product(*(itertools.product(DIMS, repeat=rank) for rank in ranks)):
        try:
            torch.broadcast_shapes(*shapes)
        except RuntimeError:
            continue
        fitting.append(shapes)
    random.Random(0).shuffle(fitting)
    return fitting


def _shapes_for(position: int, count: int) -> list[Shapes]:
    """Return shapes for some combinations of ranks: operations at other positions get others of them."""
    combinations = list(itertools.product(RANKS, repeat=count))
    chosen = [combinations[(position + 7 * step) % len(combinations)] for step in range(SAMPLES)]
    return [_broadcastable(ranks)[position % len(_broadcastable(ranks))] for ranks in chosen]


def _tensor(shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    if dtype is torch.bool:
        return torch.rand(shape) > 0.5
    if dtype is torch.int64:
        return torch.randint(1, 4, shape)
    return (torch.rand(shape) * 0.8 + 0.1).requires_grad_()


def _outputs_and_gradients(function: Callable[..., Any], operands: list[list[torch.Tensor]]) -> list[list[Any]]:
    outputs = function(operands)
    leaves = [tensor for tensors in operands for tensor in tensors if tensor.requires_grad]
    differentiable = [output for output in outputs if output.requires_grad]
    if not differentiable:
        return [outputs, [None] * len(leaves)]
    cotangents = [torch.arange(1.0, o.numel() + 1).reshape(o.shape).to(o.dtype) for o in differentiable]
    return [outputs, list(torch.autograd.grad(differentiable, leaves, cotangents, allow_unused=True))]


def _is_differentiable(operation: Callable[..., Any], dtypes: Sequence[torch.dtype]) -> bool:
    """Return whether eager has a gradient for ``operation``: some raise where one is asked for."""
    try:
        _outputs_and_gradients(lambda operands: [operation(*operands[0])], [[_tensor((3,), d) for d in dtypes]])
    except (RuntimeError, NotImplementedError):
        return False
    return True


def _same(actual: list[Any], expected: list[Any]) -> None:
    for one, other in zip(actual, expected, strict=True):
        if one is None and other is None:
            continue
        # A gradient that is zero whatever the inputs may be left out, by Thunder as by eager
        one, other = (torch.zeros_like(b) if a is None else a for a, b in ((one, other), (other, one)))
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("cache", ["symbolic values", "constant values"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_broadcast_gradients(name: str, cache: str) -> None:
    operation, dtypes = OPERATIONS[name]
    shapes = _shapes_for(list(OPERATIONS).index(name), len(dtypes))
    with_grad = _is_differentiable(operation, dtypes)

    def program(operands: list[list[torch.Tensor]]) -> list[torch.Tensor]:
        return [operation(*tensors) for tensors in operands]

    jitted = thunder.jit(program, cache=cache)
    # Dims other than 0 and 1 grow: with symbolic values the same computation serves them
    for growth in (0, 1) if cache == "symbolic values" else (0,):
        grown = [tuple(tuple(d + growth if d > 1 else d for d in s) for s in one) for one in shapes]
        operands = [[t if with_grad else t.detach() for t in map(_tensor, one, dtypes)] for one in grown]
        expected = _outputs_and_gradients(program, operands)
        actual = _outputs_and_gradients(jitted, operands)
        _same(actual[0], expected[0])
        _same(actual[1], expected[1])
