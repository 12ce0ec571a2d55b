"""Tensors and numbers reach a symbolic trace through every kind of argument."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import thunder
import torch
from torch import Tensor, nn

from comparison import assert_same_as_eager, specializations


@dataclass
class Pair:
    first: Tensor
    second: Tensor


def _shapes() -> list[tuple[Tensor, Tensor]]:
    return [(torch.randn(rows, 3), torch.randn(rows, 3)) for rows in (4, 6, 9)]


@pytest.mark.parametrize(
    ("function", "pack"),
    [
        (lambda xs: xs[0] + 2 * xs[1], lambda a, b: ([a, b],)),
        (lambda xs: xs[0] + 2 * xs[1], lambda a, b: ((a, b),)),
        (lambda xs: xs["a"] + 2 * xs["b"], lambda a, b: ({"a": a, "b": b},)),
        (lambda xs: xs["a"][0] + 2 * xs["b"], lambda a, b: ({"a": [a], "b": b},)),
        (lambda *xs: xs[0] + 2 * xs[1], lambda a, b: (a, b)),
    ],
    ids=["list", "tuple", "dict", "nested", "varargs"],
)
def test_containers(function: Any, pack: Any) -> None:
    jitted = assert_same_as_eager(function, [pack(a, b) for a, b in _shapes()], with_grad=True)
    assert specializations(jitted) == 1


def test_number_of_elements_is_compared() -> None:
    a, b = torch.randn(4, 6), torch.randn(5, 6)
    calls = [([a, b],), ([a],), ([b, a],), ([b],), ([a, b, a],)]
    jitted = assert_same_as_eager(lambda xs: sum(x.sum() for x in xs) * len(xs), calls, with_grad=True)
    assert specializations(jitted) == 3
    by_key = [({"x": a, "y": a},), ({"x": a},), ({"x": b, "y": b},), ({"x": a, "z": b},)]
    assert_same_as_eager(lambda d: d["x"] * len(d), by_key)


def test_dataclass() -> None:
    jitted = thunder.jit(lambda pair: pair.first + 2 * pair.second, cache="symbolic values")
    for a, b in _shapes():
        torch.testing.assert_close(jitted(Pair(a, b)), a + 2 * b)
    assert specializations(jitted) == 1


def test_keyword_arguments() -> None:
    jitted = thunder.jit(lambda x, *, scale, shift=0.5: x * scale + shift, cache="symbolic values")
    for rows, scale in ((3, 2), (5, 4), (8, 7)):
        x = torch.randn(rows)
        torch.testing.assert_close(jitted(x, scale=scale), x * scale + 0.5)
        torch.testing.assert_close(jitted(x, scale=scale, shift=1.5), x * scale + 1.5)
    assert specializations(jitted) == 2


def test_numbers_stay_symbolic() -> None:
    jitted = assert_same_as_eager(
        lambda x, n, f: x * f + n, [(torch.randn(3), 2, 0.5), (torch.randn(4), 5, 1.5), (torch.randn(5), -3, -2.5)]
    )
    assert specializations(jitted) == 1


def test_number_types_are_told_apart() -> None:
    calls = [(torch.ones(3, dtype=torch.int64), n) for n in (2, 2.5, True, 3)]
    jitted = assert_same_as_eager(lambda x, n: x * n, calls)
    assert specializations(jitted) == 3


def test_flags_and_names_select_a_program() -> None:
    def reduce(x: Tensor, mean: bool, how: str) -> Tensor:
        y = x.mean() if mean else x.sum()
        return y if how == "plain" else -y

    x = torch.randn(4, 5)
    calls = [(x, True, "plain"), (x, False, "plain"), (x, True, "negated"), (torch.randn(2, 3), True, "plain")]
    assert specializations(assert_same_as_eager(reduce, calls)) == 3


def test_negative_number_takes_another_path() -> None:
    calls = [(torch.randn(6), 2), (torch.randn(7), -2), (torch.randn(7), 3), (torch.randn(7), 0)]
    assert_same_as_eager(lambda a, n: a[:n], calls, with_grad=True)


def test_dims_of_parameters_and_buffers_are_static() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(4, 3))
            self.register_buffer("table", torch.randn(5, 3))

        def forward(self, x: Tensor) -> Tensor:
            return x @ self.weight + self.table[: self.weight.shape[0] - 3]

    module = Scaled()
    jitted = assert_same_as_eager(module, [(torch.randn(n, 4),) for n in (2, 5, 7)], with_grad=True)
    assert specializations(jitted) == 1
    trace = thunder.last_traces(jitted)[0]
    shapes = {proxy.name: proxy._shape for proxy in trace.args}
    assert shapes["t_weight"] == (4, 3) and all(type(dim) is int for dim in shapes["t_weight"])
    assert shapes["t_table"] == (5, 3)
    assert not isinstance(shapes["x"][0], int)


def test_hyperparameters_are_compared() -> None:
    class Repeated(nn.Module):
        times = 2

        def forward(self, x: Tensor) -> Tensor:
            return x * self.times

    module = Repeated()
    jitted = thunder.jit(module, cache="symbolic values")
    x = torch.randn(3)
    torch.testing.assert_close(jitted(x), x * 2)
    module.times = 5
    torch.testing.assert_close(jitted(x), x * 5)


def test_errors_leave_the_cache_usable() -> None:
    jitted = thunder.jit(lambda a, b: a @ b, cache="symbolic values")
    a, b = torch.randn(2, 3), torch.randn(3, 4)
    torch.testing.assert_close(jitted(a, b), a @ b)
    with pytest.raises(RuntimeError):
        jitted(a, torch.randn(2, 4))
    a, b = torch.randn(5, 7), torch.randn(7, 2)
    torch.testing.assert_close(jitted(a, b), a @ b)
    assert specializations(jitted) == 1
