"""Gradients of operations that upstream refuses to differentiate, or differentiates wrongly, are eager's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import thunder
import torch
import torch.nn.functional as F

Shape = tuple[int, ...]
ROWS = torch.tensor([0, 2])

# name -> (program, shapes of its tensors for each call)
PROGRAMS: dict[str, tuple[Callable[..., torch.Tensor], list[list[Shape]]]] = {
    # primitives without a rule
    "minimum": (lambda x, y: torch.minimum(x, y), [[(3,), (3,)], [(4,), (4,)]]),
    "minimum of equals": (lambda x: torch.minimum(x, x * 1), [[(3,)]]),
    "remainder": (lambda x, y: torch.remainder(x, y) + x % 0.7, [[(3,), (3,)]]),
    "lerp by a tensor": (lambda x, y: torch.lerp(x, y, x), [[(3,), (3,)]]),
    "lerp by a number": (lambda x, y: torch.lerp(x, y, 0.3), [[(3,), (3,)], [(0,), (0,)]]),
    "flip": (lambda x: x.flip(0, 1), [[(3, 4)], [(1, 5)], [(0, 2)]]),
    "roll": (lambda x: x.roll(1, 0), [[(3, 4)], [(1, 5)], [(0, 2)]]),
    "index_add": (lambda x, y: x.index_add(0, ROWS, y), [[(3, 4), (2, 4)], [(5, 1), (2, 1)]]),
    "unfold": (lambda x: x.unfold(0, 3, 2), [[(7, 4)], [(8, 2)], [(3, 0)]]),
    "unfold, windows that overlap": (lambda x: x.unfold(-1, 2, 1), [[(2, 5)], [(3, 2)]]),
    "view": (lambda x: x.view(-1) * 2, [[(3, 4)], [(5, 2)], [(0, 2)]]),
    "round": (lambda x: x.round() + x.trunc() + x.ceil() + x.floor() + x, [[(3,)]]),
    "nextafter": (lambda x, y: torch.nextafter(x, y) * y, [[(3,), (3,)]]),
    "zeta": (lambda x: torch.special.zeta(torch.tensor(3.0), x.abs() + 1), [[(3,)]]),
    "real": (lambda x: torch.view_as_complex(x).real * 2, [[(3, 2)]]),
    "imag": (lambda x: torch.view_as_complex(x).imag * 2, [[(3, 2)]]),
    "what has no gradient": (lambda x: x * x.argmin() + x * x.isfinite(), [[(3,)]]),
    # rules that lost a part of the gradient
    "index_put": (lambda x, y: x.index_put((ROWS,), y), [[(3, 4), (2, 4)], [(5, 2), (1, 2)]]),
    "index_put adding": (lambda x, y: x.index_put((ROWS,), y, True), [[(3, 4), (2, 4)], [(5, 2), (2,)]]),
    "hstack": (lambda x, y: torch.hstack([x, y]), [[(3, 4), (3, 2)], [(2, 1), (2, 0)]]),
    "block_diag": (lambda x, y: torch.block_diag(x, y), [[(3, 4), (3, 2)]]),
    "by keyword": (lambda x, y: torch.dist(input=x, other=y), [[(3, 4), (3, 4)]]),
    # rules that divided by an element
    "prod over a zero": (lambda x: (x * torch.tensor([0.0, 1, 1])).prod(1), [[(2, 3)]]),
    "prod over two zeros": (lambda x: (x * torch.tensor([0.0, 0, 1])).prod(1, keepdim=True), [[(2, 3)]]),
    "prod of all": (lambda x: x.prod(), [[(2, 3)], [(4, 1)], [(0, 3)], [()]]),
    "prod over the first dim": (lambda x: x.prod(0), [[(2, 3)], [(1, 3)], [(0, 3)]]),
    # functions of one name in several modules
    "norm of two modules": (lambda x: x.norm(1) + torch.linalg.norm(x, 1), [[(3, 3)], [(2, 4)]]),
    "kl_div of two modules": (lambda x, y: torch.kl_div(x, y * y).sum() + F.kl_div(x, y * y), [[(3,), (3,)]]),
    # methods whose arguments stand in another order
    "where as a method": (lambda x, y: x.where(x > 0, y) + torch.Tensor.where(x, y > 0, 2.0), [[(3,), (3,)]]),
    "where of bools": (lambda x, y: (x > 0).where(x > 0.5, y > 0) * x, [[(3,), (3,)]]),
    "polygamma as a method": (lambda x: (x.abs() + 0.5).polygamma(1), [[(3,)]]),
}


def _run(function: Callable[..., torch.Tensor], shapes: list[Shape]) -> tuple[torch.Tensor, tuple[Any, ...]]:
    torch.manual_seed(0)
    inputs = [torch.randn(shape, requires_grad=True) for shape in shapes]
    output = function(*inputs)
    cotangent = torch.arange(1.0, output.numel() + 1).reshape(output.shape)
    gradients = torch.autograd.grad(output, inputs, cotangent, allow_unused=True, materialize_grads=True)
    return output, gradients


@pytest.mark.parametrize("cache", ["symbolic values", "constant values"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore:reduction")
def test_gradients(name: str, cache: str) -> None:
    function, calls = PROGRAMS[name]
    jitted = thunder.jit(function, cache=cache)
    for shapes in calls:
        torch.testing.assert_close(_run(jitted, shapes), _run(function, shapes), rtol=1e-4, atol=1e-4)
