"""Marks of ``torch._dynamo`` on inputs are honoured, and what contradicts one is an error that says where."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import thunder
import thunder.symbolic
import torch
from thunder.symbolic import MarkedDimError
from torch import Tensor, nn
from torch._dynamo import mark_dynamic, mark_static, maybe_mark_dynamic

from comparison import specializations

T = torch.ones


def _fixing(x: Tensor) -> Tensor:
    return sum(x[i] * i for i in range(x.shape[0])) * x.shape[1]


def _branching(x: Tensor) -> Tensor:
    return x + 1 if x.shape[0] > 4 else x - 1


def _symbolic(function: Callable[..., Any]) -> Callable[..., Any]:
    return thunder.jit(function, cache="symbolic values")


def _marked(mark: Callable[..., Any], t: Tensor, *dims: int, **limits: int) -> Tensor:
    for dim in dims:
        mark(t, dim, **limits)
    return t


def _texts(jitted: Callable[..., Any]) -> list[list[str]]:
    return [[guard.text for guard in item.guards] for item in thunder.symbolic.explain(jitted).specializations]


def test_a_dynamic_dim_that_the_program_fixes_is_an_error_with_dim_guard_and_line() -> None:
    jitted = _symbolic(_fixing)
    line = _fixing.__code__.co_firstlineno + 1
    with pytest.raises(MarkedDimError) as error:
        jitted(_marked(mark_dynamic, T(3, 2), 0))
    assert "dim 0 of x was marked dynamic" in str(error.value)
    assert f"x.shape[0] == 3  ({__file__}:{line})" in str(error.value)
    assert specializations(jitted) == 0
    torch.testing.assert_close(jitted(T(3, 2)), _fixing(T(3, 2)))


def test_a_dynamic_dim_that_is_only_bounded_compiles() -> None:
    jitted = _symbolic(_branching)
    for rows in (5, 3, 7):
        x = _marked(mark_dynamic, T(rows), 0)
        torch.testing.assert_close(jitted(x), _branching(x))
    assert specializations(jitted) == 2


def test_other_dims_may_be_fixed() -> None:
    jitted = _symbolic(_fixing)
    torch.testing.assert_close(jitted(_marked(mark_dynamic, T(3, 2), 1)), _fixing(T(3, 2)))
    torch.testing.assert_close(jitted(_marked(mark_dynamic, T(3, 5), 1)), _fixing(T(3, 5)))
    assert specializations(jitted) == 1


def test_a_dim_that_equals_another_is_not_fixed() -> None:
    jitted = _symbolic(lambda x, y: x + y if x.shape[0] == y.shape[0] else x)
    jitted(_marked(mark_dynamic, T(3, 2), 0), T(3, 2))
    jitted(_marked(mark_dynamic, T(4, 2), 0), T(4, 2))
    assert specializations(jitted) == 1


def test_several_guards_may_fix_a_dim_together() -> None:
    def squeezed(x: Tensor) -> Tensor:
        return x + 1 if x.shape[0] > 2 and x.shape[0] < 4 else x

    with pytest.raises(MarkedDimError, match=r"fixes it to 3: it needs x.shape\[0\] < 4"):
        _symbolic(squeezed)(_marked(mark_dynamic, T(3), 0))


def test_a_transform_that_fixes_a_dim_is_an_error_too() -> None:
    # The gradient of a broadcast sums over the dims that were 1
    def added(x: Tensor, y: Tensor) -> Tensor:
        return x * y

    x = T(4, 3).requires_grad_()
    jitted = _symbolic(added)
    with pytest.raises(MarkedDimError, match="dim 0 of y was marked dynamic"):
        jitted(x, _marked(mark_dynamic, T(1, 3).requires_grad_(), 0))
    assert specializations(jitted) == 0


def test_a_mark_on_a_dim_that_a_specialization_has_fixed_is_noticed_on_a_later_call() -> None:
    jitted = _symbolic(_fixing)
    jitted(T(3, 2))
    with pytest.raises(MarkedDimError, match="dim 0 of x"):
        jitted(_marked(mark_dynamic, T(3, 2), 0))
    jitted(_marked(mark_dynamic, T(3, 2), 1))
    assert (specializations(jitted), thunder.cache_hits(jitted)) == (1, 1)


def test_an_error_that_the_program_catches_is_raised_all_the_same() -> None:
    def catching(x: Tensor) -> Tensor:
        try:
            return _fixing(x)
        except Exception:
            return x

    with pytest.raises(MarkedDimError):
        _symbolic(catching)(_marked(mark_dynamic, T(3, 2), 0))


def test_maybe_dynamic_tolerates_what_the_program_fixes() -> None:
    jitted = _symbolic(_fixing)
    for rows in (3, 4):
        x = _marked(maybe_mark_dynamic, T(rows, 2), 0)
        torch.testing.assert_close(jitted(x), _fixing(x))
    assert specializations(jitted) == 2


def test_limits_are_assumed_and_guarded() -> None:
    jitted = _symbolic(_branching)
    x = _marked(mark_dynamic, T(8), 0, min=6, max=12)
    torch.testing.assert_close(jitted(x), _branching(x))
    # What the limits decide is no decision of the program
    assert _texts(jitted) == [["x.shape[0] >= 6", "x.shape[0] <= 12"]]
    assert {guard.source for guard in thunder.symbolic.explain(jitted).specializations[0].guards} == {
        "torch._dynamo.mark_dynamic"
    }
    for rows in (6, 12, 5, 13, 3):
        torch.testing.assert_close(jitted(T(rows)), _branching(T(rows)))
    assert specializations(jitted) == 3


def test_a_size_outside_of_its_limits_is_an_error() -> None:
    jitted = _symbolic(_branching)
    with pytest.raises(MarkedDimError, match="dim 0 of x was marked dynamic, but its size 3 is not between 6 and 12"):
        jitted(_marked(mark_dynamic, T(3), 0, min=6, max=12))
    with pytest.raises(MarkedDimError, match="not between 6 and None"):
        jitted(_marked(mark_dynamic, T(3), 0, min=6))
    jitted(T(3))


def test_static_dims_are_compiled_in() -> None:
    jitted = _symbolic(lambda x: x * x.shape[0] + x.shape[1])
    for shape in ((3, 2), (3, 5), (4, 2)):
        x = _marked(mark_static, T(*shape), 0)
        torch.testing.assert_close(jitted(x), x * shape[0] + shape[1])
    assert specializations(jitted) == 2
    first = thunder.symbolic.explain(jitted).specializations[0]
    assert list(first.symbols.values()) == ["x.shape[1]"]
    reason = thunder.symbolic.explain(jitted).specializations[1].reason
    assert reason is not None and (reason.text, reason.values) == ("x.shape[0] == 3", {"x.shape[0]": "4"})


def test_static_dims_in_gradients() -> None:
    def function(x: Tensor) -> Tensor:
        return (x.flatten() * x.shape[0]).relu().reshape(x.shape).sum(0)

    jitted = _symbolic(function)
    for shape in ((3, 2), (3, 4), (5, 4)):
        x = torch.randn(shape)
        y = x.clone().requires_grad_()
        mark_static(x.requires_grad_(), 1)
        jitted(x).sum().backward()
        function(y).sum().backward()
        torch.testing.assert_close(x.grad, y.grad)


def test_all_dims_static_and_dynamic_before_static() -> None:
    jitted = _symbolic(lambda x: x + x.shape[0])
    x = T(3, 2)
    mark_static(x)
    jitted(x)
    assert thunder.symbolic.explain(jitted).specializations[0].symbols == {}
    both = _marked(mark_dynamic, _marked(mark_static, T(3, 2, 2), 0), 0)
    jitted(both)
    assert "x.shape[0]" in thunder.symbolic.explain(jitted).specializations[1].symbols.values()


def test_marks_on_containers_and_module_inputs() -> None:
    with pytest.raises(MarkedDimError, match=r"dim 1 of input was marked dynamic.*input.shape\[1\] == 3"):
        _symbolic(nn.Linear(3, 2))(_marked(mark_dynamic, T(4, 3), 1))
    with pytest.raises(MarkedDimError, match=r"dim 0 of batch\['ids'\]"):
        _symbolic(lambda batch: _fixing(batch["ids"]))({"ids": _marked(mark_dynamic, T(4, 3), 0)})


def test_the_dims_of_parameters_cannot_be_dynamic() -> None:
    model = nn.Linear(3, 2)
    mark_dynamic(model.weight, 0)
    with pytest.raises(MarkedDimError, match=r"dim 0 of self.weight was marked dynamic, but the sizes of parameters"):
        _symbolic(model)(T(4, 3))


def test_a_dim_that_is_not_there_is_an_error() -> None:
    with pytest.raises(MarkedDimError, match="dim 2 of x was marked, but x has 2 dims"):
        _symbolic(_branching)(_marked(mark_dynamic, T(5, 2), 2))


def test_constant_values_ignore_marks_as_upstream_does() -> None:
    jitted = thunder.jit(_fixing)
    torch.testing.assert_close(jitted(_marked(mark_dynamic, T(3, 2), 0)), _fixing(T(3, 2)))


def test_reading_marks_imports_nothing_of_dynamo() -> None:
    tree = Path(__file__).parents[1] / "core"
    for name in ("transforms/marks.py", "checks.py", "specializations.py", "search.py", "proxies.py"):
        for node in ast.walk(ast.parse((tree / name).read_text())):
            assert not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("torch._dynamo"))
            assert not (isinstance(node, ast.Attribute) and node.attr == "_dynamo")
