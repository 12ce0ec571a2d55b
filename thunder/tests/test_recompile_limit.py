"""A callable keeps so many specializations and no more; other calls are eager's, and one warning says why."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import thunder
import thunder.symbolic
import torch
from thunder.core.recompile_limit import RecompileLimitWarning, limit_from
from torch import Tensor, nn

from comparison import specializations

T = torch.ones


def _looping(x: Tensor, scale: float = 2.0) -> Tensor:
    return sum(x[i] * i * scale for i in range(x.shape[0]))


def _limited(function: Callable[..., Any], limit: int = 2, **options: Any) -> Callable[..., Any]:
    return thunder.jit(function, cache="symbolic values", recompile_limit=limit, **options)


@pytest.mark.filterwarnings("ignore::thunder.core.recompile_limit.RecompileLimitWarning")
def test_calls_beyond_the_limit_are_eagers_with_gradients() -> None:
    jitted = _limited(_looping)
    for rows in (1, 2, 3, 4, 2, 3, 1):
        x = torch.randn(rows, 3, requires_grad=True)
        y = x.detach().clone().requires_grad_()
        actual, expected = jitted(x, scale=0.5), _looping(y, scale=0.5)
        torch.testing.assert_close(actual, expected)
        actual.sum().backward()
        expected.sum().backward()
        torch.testing.assert_close(x.grad, y.grad)
    assert specializations(jitted) == 2
    assert (thunder.cache_hits(jitted), thunder.cache_misses(jitted)) == (2, 5)
    explanation = thunder.symbolic.explain(jitted)
    assert (explanation.eager, explanation.limit) == (3, 2)
    assert "3 of them run eagerly (limit 2)" in str(explanation)


def test_one_warning_names_the_guard_that_keeps_failing() -> None:
    jitted = _limited(_looping, limit=3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for rows in range(1, 8):
            jitted(T(rows, 3))
    (warning,) = [str(w.message) for w in caught if w.category is RecompileLimitWarning]
    assert "_looping has 3 specializations" in warning
    assert "keeps failing (3 of 3 times) is x.shape[0] == 3" in warning and f"({__file__}:" in warning
    assert "last with x.shape[0] = 4" in warning


def test_the_guard_that_fails_most_is_named_among_others() -> None:
    jitted = _limited(_looping, limit=5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for x in (T(1, 3), T(2, 3), T(3, 3), T(3, 3).double(), T(3), T(4, 3)):
            jitted(x)
    (warning,) = [str(w.message) for w in caught if w.category is RecompileLimitWarning]
    assert "keeps failing (3 of 5 times) is x.shape[0] == " in warning


class _Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.linear = nn.Linear(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        return self.linear(sum(y[i : i + 1] * i for i in range(x.shape[0])))


@pytest.mark.filterwarnings("ignore::thunder.core.recompile_limit.RecompileLimitWarning")
def test_modules_keep_their_parameters_and_buffers_in_step() -> None:
    eager = _Counting()
    module = copy.deepcopy(eager)
    jitted = _limited(module)
    for rows in (3, 4, 5, 3, 6, 4):
        x = torch.randn(rows, 3)
        actual, expected = jitted(x), eager(x)
        torch.testing.assert_close(actual, expected)
        for model, output in ((jitted, actual), (eager, expected)):
            model.zero_grad()
            output.square().sum().backward()
        for (name, parameter), (_, other) in zip(jitted.named_parameters(), eager.named_parameters(), strict=True):
            torch.testing.assert_close(parameter.grad, other.grad, msg=name, rtol=1e-4, atol=1e-4)
        for (name, buffer), (_, other) in zip(jitted.named_buffers(), eager.named_buffers(), strict=True):
            torch.testing.assert_close(buffer, other, msg=name)
    assert specializations(jitted) == 2


@pytest.mark.filterwarnings("ignore::thunder.core.recompile_limit.RecompileLimitWarning")
def test_overridden_parameters_are_used() -> None:
    module = nn.Linear(3, 3)
    jitted = _limited(module, limit=1)
    jitted(T(2, 3))
    weight = nn.Parameter(torch.randn(3, 3))
    jitted._overrides_parameters["weight"] = weight
    x = T(2, 3).requires_grad_()  # another specialization, were there room for one
    actual = jitted(x)
    torch.testing.assert_close(actual, x @ weight.T + module.bias)
    actual.sum().backward()
    assert weight.grad is not None and module.weight.grad is None
    assert thunder.symbolic.explain(jitted).eager == 1


@pytest.mark.filterwarnings("ignore::thunder.core.recompile_limit.RecompileLimitWarning")
def test_grad_mode_stays_as_an_eager_call_leaves_it() -> None:
    def switches(x: Tensor, grad: bool) -> Tensor:
        torch.set_grad_enabled(grad)
        return x * 2

    jitted = _limited(switches, limit=1)
    try:
        jitted(T(2), True)
        jitted(T(2), False)
        assert not torch.is_grad_enabled()
    finally:
        torch.set_grad_enabled(True)


@pytest.mark.filterwarnings("ignore::thunder.core.recompile_limit.RecompileLimitWarning")
def test_errors_of_eager_calls_reach_the_user_and_the_cache_stays_usable() -> None:
    def fails(x: Tensor) -> Tensor:
        if x.shape[0] == 3:
            raise KeyError("three")
        return x + x.shape[0]

    jitted = _limited(fails, limit=1)
    jitted(T(2))
    with pytest.raises(KeyError, match="three"):
        jitted(T(3))
    torch.testing.assert_close(jitted(T(4)), T(4) + 4)


class _Nothing(thunder.core.transform_common.Transform):
    pass


@pytest.mark.filterwarnings("ignore::thunder.core.recompile_limit.RecompileLimitWarning")
def test_with_transforms_calls_beyond_the_limit_still_compile() -> None:
    jitted = _limited(_looping, limit=2, transforms=[_Nothing()])
    for rows in (1, 2, 3, 4, 1):
        x = torch.randn(rows, 3)
        torch.testing.assert_close(jitted(x), _looping(x))
    assert specializations(jitted) == 2
    assert thunder.symbolic.explain(jitted).eager == 0
    assert (thunder.cache_hits(jitted), thunder.cache_misses(jitted)) == (1, 4)


def test_the_option_goes_before_the_environment_and_both_before_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THUNDER_SYMBOLIC_RECOMPILE_LIMIT", raising=False)
    assert limit_from(None) == 64
    monkeypatch.setenv("THUNDER_SYMBOLIC_RECOMPILE_LIMIT", "7")
    assert (limit_from(None), limit_from(3)) == (7, 3)
    assert thunder.symbolic.explain(thunder.jit(_looping, cache="symbolic values")).limit == 7


@pytest.mark.parametrize("limit", [0, -1, 2.5, "8", True])
def test_a_limit_that_is_none_is_refused(limit: Any) -> None:
    with pytest.raises(ValueError, match="recompile_limit"):
        _limited(_looping, limit)


def test_an_environment_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THUNDER_SYMBOLIC_RECOMPILE_LIMIT", "many")
    with pytest.raises(ValueError, match="THUNDER_SYMBOLIC_RECOMPILE_LIMIT"):
        thunder.jit(_looping, cache="symbolic values")


def test_upstream_lists_the_option_as_used(capsys: pytest.CaptureFixture[str]) -> None:
    jitted = _limited(_looping)
    jitted(T(2, 3))
    thunder.last_compile_options(jitted)
    used, _, unused = capsys.readouterr().out.partition("Unused")
    assert "recompile_limit" in used and "recompile_limit" not in unused
