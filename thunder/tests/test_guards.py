"""A cached computation runs only where what Python decided while tracing still holds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import thunder
import thunder.symbolic
import torch

from comparison import assert_same_as_eager, specializations

T = torch.randn


def _guards(function: Callable[..., Any], *args: Any) -> list[str]:
    jitted = thunder.jit(function, cache="symbolic values")
    jitted(*args)
    return [str(guard.expression) for guard in thunder.symbolic.guards(jitted)]


def _scaled(x: torch.Tensor, factor: Any) -> torch.Tensor:
    return x * float(factor)


# What Python reads of a dim, each on shapes that decide differently
_DECISIONS: dict[str, Callable[[torch.Tensor], Any]] = {
    "and": lambda x: x + 1 if x.shape[0] > 2 and x.shape[1] > 2 else x - 1,
    "or": lambda x: x + 1 if x.shape[0] > 4 or x.shape[1] > 4 else x - 1,
    "not": lambda x: x + 1 if not x.shape[0] > 3 else x - 1,
    "truth": lambda x: x + 1 if x.shape[0] - 3 else x - 1,
    "chained": lambda x: x + 1 if 2 < x.shape[0] < 5 else x - 1,
    "equal dims": lambda x: x @ x if x.shape[0] == x.shape[1] else x,
    "modulo": lambda x: x + 1 if x.shape[0] % 2 == 0 else x - 1,
    "floor division": lambda x: x + 1 if x.shape[0] // 2 == 2 else x - 1,
    "product": lambda x: x + 1 if x.numel() > 12 else x - 1,
    "len": lambda x: x * len(x),
    "range": lambda x: sum(x[i] * i for i in range(x.shape[0])),
    "min": lambda x: x[: min(x.shape[0], 3)] * 2,
    "max": lambda x: x[: max(1, x.shape[1] // 2)] * 2,
    "int": lambda x: _scaled(x, int(x.shape[0])),
    "float": lambda x: _scaled(x, float(x.shape[0])),
    "sqrt": lambda x: _scaled(x, math.sqrt(x.shape[0])),
    "string": lambda x: x + len(f"{x.shape[0]:d}" * x.shape[0]),
    "round": lambda x: x * round(x.shape[0] / 2 + 0.1),
    "text": lambda x: x + len(str(100 * x.shape[0] - 300)),
    "dict key": lambda x: x * {3: 2.0, 4: 5.0}.get(x.shape[0], 1.0),
    "set member": lambda x: x + 1 if x.shape[0] in {3, 5} else x - 1,
    "tuple member": lambda x: x + 1 if x.shape[0] in (3, 5) else x - 1,
    "shape equality": lambda x: x + 1 if x.shape == (3, 4) else x - 1,
    "list repeat": lambda x: x + sum([1] * x.shape[0]),
    "enumerate": lambda x: sum(row * i for i, row in enumerate(x)),
    "unbind": lambda x: x.unbind(0)[-1] * 2,
    "split": lambda x: x.split(2)[-1] * 2,
    "while": lambda x: _halved(x),
}


def _halved(x: torch.Tensor) -> torch.Tensor:
    while x.shape[0] > 2:
        x = x[::2] * 1.5
    return x


@pytest.mark.parametrize("name", _DECISIONS)
def test_decisions_hold_again_or_are_taken_again(name: str) -> None:
    shapes = [(3, 4), (4, 4), (5, 3), (2, 6), (6, 2), (3, 3)]
    assert_same_as_eager(_DECISIONS[name], [(T(*shape),) for shape in shapes], with_grad=True)


def test_a_branch_keeps_its_comparison() -> None:
    function = lambda x: x + 1 if x.shape[0] > 4 else x - 1
    assert _guards(function, T(5, 2)) == ["x.shape[0] >= 5"]
    assert _guards(function, T(3, 2)) == ["x.shape[0] <= 4"]


def test_a_guard_names_the_line_that_decided() -> None:
    jitted = thunder.jit(lambda x: x + 1 if x.shape[0] > 4 else x - 1, cache="symbolic values")
    jitted(T(5))
    (guard,) = thunder.symbolic.guards(jitted)
    assert guard.source is not None and guard.source.startswith(f"{__file__}:")


def test_what_need_not_be_decided_is_not() -> None:
    assert _guards(lambda x: x * 2 + x.shape[0], T(5, 2)) == []
    assert _guards(lambda x: (x, x.shape[0] // 2), T(5, 2)) == []


def test_what_follows_from_a_guard_is_no_guard() -> None:
    def twice(x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] > 4 and x.shape[0] + 1 > 4 and 2 * x.shape[0] >= 10:
            return x + 1
        return x

    assert _guards(twice, T(6)) == ["x.shape[0] >= 5"]


def test_a_transform_may_decide_too() -> None:
    # The gradient of a broadcast sums over the dims that were 1
    calls = [(T(4, 3), T(1, 3)), (T(5, 2), T(1, 2)), (T(4, 3), T(4, 3)), (T(1, 3), T(4, 3))]
    jitted = assert_same_as_eager(lambda a, b: a * b, calls, with_grad=True)
    assert specializations(jitted) == 3


def test_division_by_a_number_that_may_be_zero() -> None:
    def divided(x: torch.Tensor, n: int) -> torch.Tensor:
        _ = 10 // n
        return x + 1

    assert_same_as_eager(divided, [(T(3), 2), (T(4), 0), (T(4), 5)])


@pytest.mark.parametrize(
    "function",
    [
        lambda x, n: x + 1 if n > 0 else x - 1,
        lambda x, n: x * 2 if n == n else x,  # noqa: PLR0124
        lambda x, n: x * float(str(n)),
        lambda x, n: x * {0.5: 1.0}.get(n, 3.0),
    ],
    ids=["comparison", "self", "text", "key"],
)
def test_numbers_that_are_no_numbers(function: Callable[..., Any]) -> None:
    x = T(4)
    values = [math.nan, 0.5, -1.0, math.nan, math.inf, 0.5]
    jitted = assert_same_as_eager(function, [(x, value) for value in values])
    assert specializations(jitted) <= 4


def test_public_functions_refuse_what_was_not_compiled_symbolically() -> None:
    jitted = thunder.jit(lambda x: x + 1)
    jitted(T(3))
    with pytest.raises(ValueError, match="symbolic values"):
        thunder.symbolic.guards(jitted)
