"""What a program asks of layout is eager's answer, and costs a guard only where it is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import thunder
import thunder.symbolic
import torch

from comparison import assert_same_as_eager, specializations

ELEMENTS = torch.arange(60.0)
ROWS = ELEMENTS[:12].view(3, 4)
MORE_ROWS = ELEMENTS[:20].view(4, 5)
COLUMNS = ELEMENTS[:12].view(4, 3).t()
EVERY_SECOND = ELEMENTS[:8].view(2, 4)[:, ::2]
NO_ROWS = ELEMENTS[:0].view(0, 4)
ONE_ROW = ELEMENTS[:4].view(1, 4)
ALL = [(t,) for t in (ROWS, MORE_ROWS, COLUMNS, EVERY_SECOND, NO_ROWS, ONE_ROW)]
IMAGE = torch.randn(2, 3, 4, 4)
CHANNELS_LAST = IMAGE.contiguous(memory_format=torch.channels_last)
IMAGES = [(IMAGE,), (CHANNELS_LAST,), (torch.randn(2, 3, 5, 5),), (ROWS,)]

PROGRAMS: dict[str, Callable[[torch.Tensor], Any]] = {
    "of an input": lambda x: x * 2 if x.is_contiguous() else x - 1,
    "stride": lambda x: x * x.stride(0) + x.stride(dim=-1),
    "strides": lambda x: x * 2 if x.stride() == (4, 1) else x,
    "of a transpose": lambda x: x * 2 if x.t().is_contiguous() else x - 1,
    "strides of a transpose": lambda x: x * x.t().stride(0) + x.transpose(0, 1).stride()[1],
    "of a sum": lambda x: x * 2 if (x.t() + 1).is_contiguous() else x - 1,
    "of a product": lambda x: x * 2 if (x @ x.t()).is_contiguous() else x - 1,
    "of contiguous": lambda x: x * 2 if x.t().contiguous().is_contiguous() else x - 1,
    "of columns": lambda x: x * 2 if x[:, :2].is_contiguous() else x - 1,
    "of some rows": lambda x: x * 2 if x[: x.shape[0] - 1].is_contiguous() else x - 1,
    "view": lambda x: x.view(-1) * 2,
    "view of a transpose": lambda x: x.t().view(-1) * 2,
    "view of columns": lambda x: x[:, :2].view(-1) * 2,
}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("with_grad", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_layout(name: str, with_grad: bool, reverse: bool) -> None:
    assert_same_as_eager(PROGRAMS[name], ALL[::-1] if reverse else ALL, with_grad=with_grad)


def test_channels_last() -> None:
    jitted = assert_same_as_eager(
        lambda x: x * 2 if x.is_contiguous(memory_format=torch.channels_last) else x - 1, IMAGES
    )
    assert specializations(jitted) == 3  # the rank is another one, too
    assert_same_as_eager(lambda x: x * x.contiguous(memory_format=torch.channels_last).stride(1), IMAGES[:3])


@pytest.mark.parametrize(
    ("program", "calls", "allowed"),
    [
        (lambda x: x * 2, ALL, 1),
        (lambda x: x * 2 if x.is_contiguous() else x, ALL, 2),
        (lambda x: x * x.stride(0), [(ROWS,), (MORE_ROWS,), (NO_ROWS,), (ONE_ROW,)], 1),
        (lambda x: x * x.stride(1), [(COLUMNS,), (MORE_ROWS.t(),)], 1),
        (lambda x: x.view(-1) * 2, [call for call in ALL if call[0].is_contiguous()], 1),
    ],
)
def test_only_what_is_asked_is_guarded(program: Callable[..., Any], calls: list[Any], allowed: int) -> None:
    assert specializations(assert_same_as_eager(program, calls)) == allowed


def test_a_parameters_layout() -> None:
    linear = torch.nn.Linear(4, 3)
    jitted = thunder.jit(lambda x: x * 2 if linear.weight.is_contiguous() else x, cache="symbolic values")
    assert torch.equal(jitted(ROWS), ROWS * 2)
    linear.weight = torch.nn.Parameter(torch.randn(4, 3).t())
    assert torch.equal(jitted(ROWS), ROWS)


@pytest.mark.parametrize(
    ("program", "names"),
    [
        (lambda x: x + x.data_ptr(), "data_ptr"),
        (lambda x: x[x > 0], "boolean advanced indexing"),
        (lambda x: x.nonzero(), "nonzero"),
        (lambda x: x if x.sum() > 0 else -x, "boolean"),
        (lambda x: torch.as_strided(x, (2,), (1,)), "as_strided"),
    ],
)
def test_what_is_refused_names_operator_and_line(program: Callable[..., Any], names: str) -> None:
    line = program.__code__.co_firstlineno
    with pytest.raises(NotImplementedError, match=rf"(?s){names}.*at {__file__}:{line}: .*lambda x"):
        thunder.jit(program, cache="symbolic values")(ROWS)


def test_an_error_of_the_program_itself_is_left_alone() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        raise ValueError("my own")

    with pytest.raises(ValueError, match=r"^my own$"):
        thunder.jit(program, cache="symbolic values")(ROWS)
