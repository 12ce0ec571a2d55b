"""The search finds a specialization exactly where one of the prologues would pass."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
import thunder
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from thunder.core.checks import Check, Names, Prologue, Route
from thunder.core.search import build_search
from torch import Tensor, nn

from comparison import specializations

T = torch.ones


@contextmanager
def _events(kind: str) -> Iterator[list[str]]:
    """Collect the places in generated searches where ``kind`` happens: "line" or "exception"."""
    seen: list[str] = []

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != "<search>":
            return None
        if event == kind:
            seen.append(f"{frame.f_code.co_name}:{frame.f_lineno}")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield seen
    finally:
        sys.settrace(before)


def _run_all_prologues(jitted: Callable[..., Any], args: Any, kwargs: Any) -> set[int]:
    """Return the specializations whose own prologue passes, run as upstream runs it."""
    stats, data = thunder.compile_stats(jitted), thunder.compile_data(jitted)

    def passes(entry: Any) -> bool:
        try:
            entry.prologue_fn(*args, **kwargs)
        except Exception:
            return False
        return True

    @thunder._with_cache_info_ctx
    def passing() -> set[int]:
        data.populate_cache_info(thunder._get_cache_info(), *args, **kwargs)
        with thunder.core.compile_data.compile_data_and_stats(data, stats):
            return {index for index, entry in enumerate(list(stats.interpreter_cache)) if passes(entry)}

    return passing()


def _varied(x: Any, n: Any = 1, *rest: Any, **more: Any) -> Any:
    y = x["a"] if isinstance(x, dict) else x
    if y.shape[0] > 4:
        y = y + 1
    if len(rest) > 1 and rest[1] == 3:
        y = y * 2
    if more.get("mode", "sum") == "sum":
        y = y * n
    return y


_MODEL = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.0))

_PROGRAMS: dict[str, tuple[Callable[..., Any], list[tuple[tuple[Any, ...], dict[str, Any]]]]] = {
    "structures, types and values": (
        _varied,
        [
            ((T(5),), {}),
            ((T(3),), {}),
            ((T(3, 2),), {}),
            ((T(3).double(),), {}),
            (({"a": T(3)},), {}),
            (({"a": T(7)},), {}),
            ((T(3), 2), {}),
            ((T(3), 2.5), {}),
            ((T(3), math.nan), {}),
            ((T(3), True), {}),
            ((T(3), T(3)), {}),
            ((T(3), 2, 1, 3), {}),
            ((T(3), 2, 1, 4), {}),
            ((T(3),), {"mode": "sum"}),
            ((T(3),), {"mode": "none"}),
            ((T(3, requires_grad=True),), {}),
            ((T(6, requires_grad=True),), {}),
        ],
    ),
    "exact dims": (lambda x: sum(x[i] * i for i in range(x.shape[0])), [((T(n, 2),), {}) for n in range(1, 13)]),
    "two dims": (
        lambda x: x + 1 if x.shape[0] > 4 else x - 1 if x.shape[0] * x.shape[1] > 9 else x * x.shape[0] // x.shape[1],
        [((T(a, b),), {}) for a in (1, 4, 5, 9) for b in (0, 1, 2, 3, 4)],
    ),
    "a module": (_MODEL, [((T(n, 3),), {}) for n in (1, 2, 5)]),
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_finds_what_the_prologues_find_and_raises_nothing(name: str) -> None:
    function, calls = _PROGRAMS[name]
    jitted = thunder.jit(function, cache="symbolic values")
    cache = thunder.compile_stats(jitted).interpreter_cache
    for count in range(len(calls)):
        for args, kwargs in [*calls[count:], *calls[: count + 1]][:4]:
            before = [item.hits for item in cache.specializations]
            expected = _run_all_prologues(jitted, args, kwargs)
            with _events("exception") as raised:
                try:
                    jitted(*args, **kwargs)
                except (ZeroDivisionError, RuntimeError):
                    continue
            hit = [i for i, (now, then) in enumerate(zip(cache.specializations, before)) if now.hits > then]
            assert len(hit) == bool(expected) and set(hit) <= expected
            assert raised == []
    assert all(item.prologue is not None for item in cache.specializations)


def _grow(entries: int) -> tuple[Callable[..., Any], int]:
    """Return a callable with ``entries`` specializations, and the lines that its search runs for hits on average."""
    jitted = thunder.jit(lambda x: x * len(str(x.shape[0])) if x.shape[1] > 1 else x, cache="symbolic values")
    for n in range(1, entries + 1):
        jitted(T(n, 2))
    assert specializations(jitted) == entries
    with _events("line") as lines:
        for n in range(1, entries + 1):
            jitted(T(n, 2))
    assert specializations(jitted) == entries
    return jitted, len(lines) // entries


def test_a_hit_among_many_decides_little_more_than_one_alone() -> None:
    _, alone = _grow(1)
    jitted, among_many = _grow(32)
    assert among_many < 2 * alone
    with _events("exception") as raised:
        jitted(T(40, 2))
    assert raised == []


def test_many_excluded_values_are_one_look_up_that_drops_none() -> None:
    values = [3, 5, 8, 13, 21]

    def function(x: Tensor) -> Tensor:
        for position, value in enumerate((3, 5, 8, 13, 21)):
            if x.shape[0] * x.shape[1] == value:
                return x + position
        return x - 1

    jitted = thunder.jit(function, cache="symbolic values")
    jitted(T(1, 2))
    cache = thunder.compile_stats(jitted).interpreter_cache
    (item,) = cache.specializations
    assert item.prologue is not None
    (guard,) = item.prologue.guards
    assert guard.text == f"x.shape[0] * x.shape[1] not in {values}" and len(item.prologue.told) == len(values)
    for size in range(24):
        torch.testing.assert_close(jitted(T(1, size)), function(T(1, size)))
    assert specializations(jitted) == 1 + len(values)


def test_many_words_are_looked_up() -> None:
    words = ["a", "b", "c", "d", "e", "f", "g"]
    jitted = thunder.jit(lambda x, word: x + "abcdefg".index(word), cache="symbolic values")
    for word in words * 2:
        assert torch.equal(jitted(T(2), word), T(2) + words.index(word))
    cache = thunder.compile_stats(jitted).interpreter_cache
    assert [item.hits for item in cache.specializations] == [1] * len(words)


def test_entries_that_upstream_forgets_are_not_found() -> None:
    jitted = thunder.jit(lambda x: x + 1, cache="symbolic values")
    jitted(T(2))
    thunder.compile_stats(jitted).interpreter_cache.clear()
    jitted(T(2))
    assert (thunder.cache_hits(jitted), thunder.cache_misses(jitted), specializations(jitted)) == (0, 2, 1)


# Synthetic prologues over three integers and a word

_LIMITS = st.tuples(st.integers(0, 2), st.integers(0, 6) | st.none(), st.integers(0, 6) | st.none())


@st.composite
def _prologues(draw: st.DrawFn) -> list[tuple[list[str], list[tuple[int, int | None, int | None]]]]:
    words = st.lists(
        st.sampled_from(["w[0] == {}", "w[1] == {}"]).flatmap(
            lambda text: st.sampled_from("abcdef").map(lambda letter: text.format(repr(letter)))
        ),
        max_size=2,
    )
    return draw(st.lists(st.tuples(words, st.lists(_LIMITS, max_size=4)), min_size=1, max_size=24))


def _prologue(names: Names, index: int, words: list[str], limits: list[tuple[int, int | None, int | None]]) -> Prologue:
    checks, guards = [], []
    for text in words:
        subject, _, letter = text.replace("w", "args[3]").partition(" == ")
        variable = names.variable(subject)
        checks.append(Check(f"{variable} == {letter}", text, route=Route(variable, constant=eval(letter))))
    for position, low, high in limits:
        variable = names.variable(f"args[{position}]")
        lower = "True" if low is None else f"{variable} >= {low}"
        code = lower if high is None else f"{lower} and {variable} <= {high}"
        guards.append(Check(f"({code})", code, route=Route(variable, (low, high))))
    return Prologue(tuple(checks), tuple(guards), tuple(guards), f"({index},)")


@settings(max_examples=150)
@given(
    _prologues(),
    st.lists(st.tuples(*[st.integers(0, 6)] * 3, st.sampled_from(["ab", "ba", "cc", "fd"])), min_size=5, max_size=12),
)
def test_the_tree_drops_no_condition(described: list[Any], calls: list[Any]) -> None:
    names = Names(len)
    prologues = [_prologue(names, index, *parts) for index, parts in enumerate(described)]
    search, _ = build_search(names, enumerate(prologues))
    for args in calls:
        environment = {name: eval(code, {"args": args}) for name, code in names.definitions.items()}
        serving = {
            index
            for index, prologue in enumerate(prologues)
            if all(eval(check.code, {}, environment) for check in (*prologue.checks, *prologue.guards))
        }
        found = search(args, {}, {}, {})
        assert (found is None) == (not serving)
        assert found is None or (found[0] in serving and found[1] == (found[0],))


def test_more_levels_than_one_function_may_nest() -> None:
    names = Names(len)
    prologues = []
    for index in range(60):
        checks = []
        for position in range(index + 1):
            variable = names.variable(f"args[{position}]")
            value = int(position == index)
            checks.append(Check(f"{variable} == {value}", "", route=Route(variable, (value, value))))
        prologues.append(Prologue(tuple(checks), (), (), "()"))
    search, source = build_search(names, enumerate(prologues))
    assert source.count("def ") > 1
    for index in range(60):
        args = [int(position == index) for position in range(60)]
        assert search(args, {}, {}, {}) == (index, ())
    assert search([0] * 60, {}, {}, {}) is None
