"""What need not specialize does not: one computation serves every shape, forward and gradient."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from comparison import assert_same_as_eager, specializations

ONE_DIM = ((5,), (2,), (8,), (3,))
MATRICES = ((3, 4), (2, 6), (8, 2), (6, 6))
IMAGES = ((2, 3, 8, 8), (3, 3, 9, 11), (1, 2, 6, 5))

# Each takes one tensor, of each of the shapes
PROGRAMS: dict[str, tuple[Callable[[torch.Tensor], Any], tuple[tuple[int, ...], ...]]] = {
    "slice to": (lambda a: a[:3] * 2, (*MATRICES, (0, 2))),
    "slice from the end": (lambda a: a[-3:] * 2, (*MATRICES, (0, 2))),
    "slice without the last": (lambda a: a[:, :-1] * 2, MATRICES),
    "differences": (lambda a: a[:, 1:] - a[:, :-1], ((3, 4), (2, 7), (5, 3))),
    "slice by half": (lambda a: a[: a.shape[0] // 2] * 2, MATRICES),
    "slice by float": (lambda a: a[: int(a.shape[0] * 0.5)] * 2, MATRICES),
    "slice by ceil": (lambda a: a[: math.ceil(a.shape[0] / 2)] * 2, MATRICES),
    "slice by round": (lambda a: a[: round(a.shape[0] / 2)] * 2, MATRICES),
    "slice by min": (lambda a: a[: min(a.shape[0], 4)] * 2, MATRICES),
    "narrow": (lambda a: a.narrow(0, 1, 2) * 2, ((3, 4), (5, 2), (4, 4))),
    "chunk": (lambda a: torch.stack(a.chunk(4)).sum(0), ((8,), (12,), (16,))),
    "chunk unevenly": (lambda a: a.chunk(3)[-1] * 2, ((5,), (8,), (11,))),
    "split in half": (lambda a: a.split(a.shape[1] // 2, 1)[0] * 2, ((3, 4), (2, 6), (8, 2))),
    "split by lengths": (lambda a: a.split([1, a.shape[1] - 1], 1)[1] * 2, MATRICES),
    "split of a fixed dim": (lambda a: a.split(4, 1)[1] * 2, ((3, 12), (5, 12), (1, 12))),
    "tensor_split": (lambda a: a.tensor_split(3)[1] * 2, ((5,), (8,), (9,), (1,))),
    "unbind": (lambda a: a.unbind(1)[0] * 2, ((3, 3), (5, 3), (1, 3))),
    "reshape by -1": (lambda a: a.reshape(-1, 2) * 2, ((3, 4), (2, 6), (8, 2), (1, 2))),
    "flatten": (lambda a: a.flatten(1) * 2, ((2, 3, 4), (5, 1, 2), (1, 4, 4))),
    "heads": (lambda a: a.view(*a.shape[:2], -1, 4).transpose(1, 2), ((2, 3, 8), (5, 4, 12))),
    "expand": (lambda a: a[:, None].expand(-1, 3, -1) * 2, MATRICES),
    "ones": (lambda a: torch.ones(*a.shape) + a, MATRICES),
    "full": (lambda a: torch.full((a.shape[0], 3), 2.0) + a[:, :1], MATRICES),
    "new_zeros": (lambda a: a.new_zeros(a.shape[0], 3) + a[:, :1], MATRICES),
    "pad": (lambda a: F.pad(a, (1, 2)), MATRICES),
    "pad to a length": (lambda a: F.pad(a, (0, 16 - a.shape[1])), MATRICES),
    "repeat": (lambda a: a.repeat(2, 3), MATRICES),
    "roll": (lambda a: a.roll(1, 0), MATRICES),
    "arange": (lambda a: a + torch.arange(a.shape[1]), MATRICES),
    "topk": (lambda a: a.topk(a.shape[1] // 2)[0], MATRICES),
    "gather": (lambda a: a.gather(1, torch.arange(a.shape[1]).expand(a.shape[0], -1)), MATRICES),
    "causal mask": (
        lambda a: a.masked_fill(torch.ones(a.shape[-1], a.shape[-1]).tril() == 0, -9.0).softmax(-1),
        ((2, 4, 4), (3, 5, 5), (2, 3, 3)),
    ),
    "attention": (lambda a: F.scaled_dot_product_attention(a, a, a, is_causal=True), IMAGES),
    "root of a dim": (lambda a: a / a.shape[-1] ** 0.5, MATRICES),
    "math.sqrt": (lambda a: a / math.sqrt(a.shape[-1]), MATRICES),
    "math.log": (lambda a: a * math.log(a.shape[-1]), MATRICES),
    "float": (lambda a: a * float(a.shape[0]), MATRICES),
    "len": (lambda a: a * len(a), MATRICES),
    "max": (lambda a: a * max(a.shape), MATRICES),
    "floor": (lambda a: a * math.floor(-a.shape[0] / 2), MATRICES),
    "max pool": (lambda a: F.max_pool2d(a, 2), IMAGES),
    "average pool": (lambda a: F.avg_pool2d(a, 2), IMAGES),
    "convolution": (lambda a: F.conv2d(a, torch.ones(4, a.shape[1], 3, 3), stride=2, padding=1), IMAGES),
    "interpolate": (lambda a: F.interpolate(a, scale_factor=2), IMAGES),
    "layer norm": (lambda a: F.layer_norm(a, (8,)), ((5, 8), (8, 8), (1, 8), (2, 8))),
    "variance": (lambda a: a.var(-1), MATRICES),
    "einsum": (lambda a: torch.einsum("ij,kj->ik", a, a), MATRICES),
    "rows": (lambda a: a[-1] + a[0], MATRICES),
}


@pytest.mark.parametrize("with_grad", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_specialization(name: str, with_grad: bool) -> None:
    function, shapes = PROGRAMS[name]
    jitted = assert_same_as_eager(function, [(torch.randn(shape),) for shape in shapes], with_grad=with_grad)
    assert specializations(jitted) == 1


_TWO: dict[str, tuple[Callable[[torch.Tensor, torch.Tensor], Any], list[tuple[tuple[int, ...], tuple[int, ...]]]]] = {
    "broadcast": (lambda a, b: a + b, [((2, 3), (3,)), ((5, 4), (4,)), ((3, 3), (3,))]),
    "outer": (lambda a, b: a[:, None] * b[None], [((2,), (3,)), ((5,), (4,)), ((3,), (3,))]),
    "expand to": (lambda a, b: a.expand(b.shape[0], a.shape[1]) * 2, [((1, 4), (3,)), ((1, 5), (6,))]),
    "expand as": (lambda a, b: a.expand_as(b) * 2, [((1, 4), (3, 4)), ((1, 5), (6, 5))]),
    "cat": (lambda a, b: torch.cat([a, b]), [((3, 4), (2, 4)), ((5, 3), (1, 3)), ((2, 2), (2, 2))]),
    "matmul": (lambda a, b: a @ b, [((3, 4), (4, 2)), ((5, 3), (3, 3)), ((2, 2), (2, 5))]),
    "equal shapes": (lambda a, b: a + b if a.shape == b.shape else a, [((3, 4), (3, 4)), ((5, 6), (5, 6))]),
}


@pytest.mark.parametrize("with_grad", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("name", _TWO)
def test_one_specialization_of_two_inputs(name: str, with_grad: bool) -> None:
    function, shapes = _TWO[name]
    calls = [(torch.randn(a), torch.randn(b)) for a, b in shapes]
    assert specializations(assert_same_as_eager(function, calls, with_grad=with_grad)) == 1


def _bounded(x: torch.Tensor, n: int, m: int) -> torch.Tensor:
    return x[: min(n, m)] * max(n, 3)


def test_arguments_stay_symbolic() -> None:
    calls = [(torch.randn(6, 2), n, m) for n, m in ((1, 2), (2, 1), (5, 4), (3, 3))]
    assert specializations(assert_same_as_eager(_bounded, calls)) == 1


def test_outside_the_domain_of_a_function_raises() -> None:
    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * math.sqrt(x.shape[0] - 3)

    assert_same_as_eager(scaled, [(torch.randn(4),), (torch.randn(2),), (torch.randn(7),)])


@pytest.mark.parametrize("length", [0, 1, 5, 8, 9])
@pytest.mark.parametrize("parts", [1, 3, 4])
def test_parts_of_any_length(length: int, parts: int) -> None:
    """The parts of a dim, on a callable that was compiled for another length."""
    calls = [(torch.randn(12, 2),), (torch.randn(length, 2),)]
    assert_same_as_eager(lambda a: a.chunk(parts), calls)
    assert_same_as_eager(lambda a: a.split(parts), calls)
    assert_same_as_eager(lambda a: a.tensor_split(parts), calls)
