"""Users see the specializations of a callable, and the guards by the names that they gave."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import thunder
import thunder.symbolic
import torch
from torch import Tensor, nn

T = torch.ones


def _jitted(function: Callable[..., Any], *calls: tuple[Any, ...], **keywords: Any) -> Callable[..., Any]:
    jitted = thunder.jit(function, cache="symbolic values")
    for call in calls:
        jitted(*call, **keywords)
    return jitted


def _texts(jitted: Callable[..., Any]) -> list[list[str]]:
    return [[guard.text for guard in item.guards] for item in thunder.symbolic.explain(jitted).specializations]


def _branch(x: Tensor) -> Tensor:
    return x + 1 if x.shape[0] > 4 else x - 1  # the line that decides


def _containers(batch: dict[str, Tensor], *rest: Tensor, flip: int, **more: Tensor) -> Tensor:
    y = batch["ids"] * 2
    if y.shape[1] > 3 and rest[1].shape[0] > 1 and flip > 2 and more["mask"].shape[0] != 7:
        return y + 1
    return y


def _closing_over(weights: Tensor) -> Callable[[Tensor], Tensor]:
    return lambda x: x + 1 if weights.shape[0] > 2 else x


class _Masked(nn.Module):
    def forward(self, ids: Tensor, *, mask: Tensor) -> Tensor:
        return ids * 2 if ids.shape[0] > 3 and mask.shape[0] > 1 else ids


def test_guards_of_every_specialization_read_as_the_program() -> None:
    jitted = _jitted(_branch, (T(5),), (T(3),))
    assert _texts(jitted) == [["x.shape[0] > 4"], ["x.shape[0] <= 4"]]


def test_inputs_have_the_names_that_the_user_gave() -> None:
    jitted = _jitted(_containers, ({"ids": T(2, 5)}, T(1), T(2)), flip=3, mask=T(3))
    assert _texts(jitted) == [
        ["batch['ids'].shape[1] > 3", "rest[1].shape[0] > 1", "flip > 2", "more['mask'].shape[0] != 7"]
    ]
    assert _texts(_jitted(_Masked(), (T(4, 4),), mask=T(3))) == [["ids.shape[0] > 3", "mask.shape[0] > 1"]]
    assert _texts(_jitted(_closing_over(T(3)), (T(4),))) == [["weights.shape[0] > 2"]]


def test_arithmetic_in_a_guard_keeps_its_meaning() -> None:
    def decide(x: Tensor) -> Tensor:
        return x + 1 if (x.shape[0] + 1) * 2 <= x.shape[1] else x

    assert _texts(_jitted(decide, (T(2, 6),))) == [["2 * x.shape[0] + 2 <= x.shape[1]"]]


def test_a_float_that_is_not_greater_need_not_be_less() -> None:
    jitted = _jitted(lambda x, f: x + 1 if f > 0.5 else x, (T(2), 0.0), (T(2), float("nan")))
    assert _texts(jitted) == [["not f > 0.5"]]


def test_symbols_are_those_of_the_trace() -> None:
    jitted = _jitted(lambda x, n: x.flatten() * n, (T(2, 3), 4))
    (item,) = thunder.symbolic.explain(jitted).specializations
    trace = thunder.last_traces(jitted)[0].python()
    (first, second), number = [name for name, path in item.symbols.items() if path.startswith("x")], item.symbols
    assert item.inputs == {"x": f"cpu f32[{first}, {second}]", "n": "int"}
    assert f'x: "cpu f32[{first}, {second}]"' in trace
    assert "n" in number.values()


def test_guards_name_the_line_and_show_its_code() -> None:
    (item,) = thunder.symbolic.explain(_jitted(_branch, (T(5),))).specializations
    (guard,) = item.guards
    line = next(
        n for n, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "the line that decides" in text
    )
    assert guard.source == f"{__file__}:{line}"
    assert guard.code is not None and guard.code.startswith("return x + 1 if x.shape[0] > 4")


def test_hits_misses_and_compile_time_are_counted() -> None:
    jitted = _jitted(_branch, (T(5),), (T(3),), (T(6),), (T(2),), (T(1),))
    explanation = thunder.symbolic.explain(jitted)
    assert (
        (explanation.hits, explanation.misses) == (3, 2) == (thunder.cache_hits(jitted), thunder.cache_misses(jitted))
    )
    assert [item.hits for item in explanation.specializations] == [1, 2]
    assert all(item.compile_seconds > 0 for item in explanation.specializations)


def test_an_error_while_compiling_leaves_no_specialization() -> None:
    def fails(x: Tensor) -> Tensor:
        if x.shape[0] > 4:
            raise KeyError("no")
        return x

    jitted = _jitted(fails, (T(3),))
    with pytest.raises(KeyError):
        jitted(T(5))
    jitted(T(2))
    explanation = thunder.symbolic.explain(jitted)
    assert [item.hits for item in explanation.specializations] == [1]


def test_every_form_says_the_same() -> None:
    explanation = thunder.symbolic.explain(_jitted(_branch, (T(5),), (T(3),)))
    data = json.loads(json.dumps(explanation.to_dict()))
    text, page = str(explanation), explanation._repr_html_()
    assert text.startswith("_branch: 2 specializations, 0 hits, 2 misses\n")
    for index, item in enumerate(data["specializations"]):
        (guard,) = item["guards"]
        assert guard["text"] == ("x.shape[0] > 4", "x.shape[0] <= 4")[index]
        assert guard["text"] in text and guard["code"] in text
    assert "x.shape[0] &gt; 4" in page and "x.shape[0] > 4" not in page
    assert page.count("<tr>") == 3


def test_before_the_first_call_there_is_nothing_to_explain() -> None:
    explanation = thunder.symbolic.explain(thunder.jit(_branch, cache="symbolic values"))
    assert explanation.specializations == ()
    assert str(explanation).startswith("_branch: 0 specializations, 0 hits, 0 misses")


@pytest.mark.parametrize("cache", ["constant values", "no caching"])
def test_other_cache_options_keep_upstreams_list(cache: str) -> None:
    jitted = thunder.jit(_branch, cache=cache)
    jitted(T(3))
    assert type(thunder.compile_stats(jitted).interpreter_cache) is list
    with pytest.raises(ValueError, match="symbolic values"):
        thunder.symbolic.explain(jitted)


def test_what_is_no_jitted_callable_is_refused() -> None:
    with pytest.raises(ValueError, match="symbolic values"):
        thunder.symbolic.explain(_branch)


def _reasons(jitted: Callable[..., Any]) -> list[tuple[str, dict[str, str]]]:
    reasons = [item.reason for item in thunder.symbolic.explain(jitted).specializations]
    assert reasons[0] is None
    return [(reason.text, reason.values) for reason in reasons if reason is not None]


def _many_ways(x: Any, n: Any = 1, *, mode: str = "sum") -> Tensor:
    y = x["a"] if isinstance(x, dict) else x
    return y * n + 1 if y.shape[0] > 4 and mode == "sum" else y * n - 1


def test_each_recompile_names_the_first_condition_that_failed_and_what_it_saw() -> None:
    x = T(5)
    calls = [((x,), {}), ((T(3),), {}), ((T(3, 2),), {}), ((x.double(),), {}), ((x, 2), {}), ((x, 2.5), {})]
    jitted = thunder.jit(_many_ways, cache="symbolic values")
    for args, kwargs in [*calls, ((x,), {"mode": "sum"}), ((x,), {"mode": "no"})]:
        jitted(*args, **kwargs)
    reasons = _reasons(jitted)
    assert reasons[:3] == [
        ("x.shape[0] > 4", {"x.shape[0]": "3"}),
        ("x.ndim == 1", {"x.ndim": "2"}),
        ("x.dtype == torch.float32", {"x.dtype": "torch.float64"}),
    ]
    assert reasons[3][0] == "the arguments are in the same containers"
    assert reasons[4] == ("type(n) is int", {"type(n)": "float"})
    assert reasons[-1] == ("mode == 'sum'", {"mode": "'no'"})


def test_the_reason_is_taken_from_the_closest_specialization() -> None:
    jitted = _jitted(_branch, (T(5),), (T(5, 2),), (T(3),))
    reason = thunder.symbolic.explain(jitted).specializations[2].reason
    assert reason is not None and (reason.specialization, reason.text) == (0, "x.shape[0] > 4")
    assert reason.source is not None and reason.source.startswith(__file__)


def test_grad_mode_is_told_as_pytorch_names_it() -> None:
    jitted = _jitted(_branch, (T(5),))
    with torch.no_grad():
        jitted(T(5))
    assert _reasons(jitted) == [("torch.is_grad_enabled() == True", {"torch.is_grad_enabled()": "False"})]


def test_recompiles_are_logged_in_one_line_each(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="thunder.symbolic")
    _jitted(_branch, (T(5),), (T(6),), (T(3),))
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("thunder.symbolic", "INFO")
    message = record.getMessage()
    assert message.startswith("_branch compiles specialization 1: x.shape[0] > 4 (") and "\n" not in message
    assert message.endswith("failed for specialization 0: x.shape[0] = 3")


def test_an_explanation_keeps_no_argument_alive() -> None:
    jitted = _jitted(_branch, (T(5),))
    x = T(3)
    alive = weakref.ref(x)
    jitted(x)
    del x
    gc.collect()
    assert alive() is None
