"""What was recorded is not recorded again, and passes do not repeat what is known."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest
import thunder
import thunder.symbolic
import torch
from thunder.core import prims, pytree
from thunder.core.proxies import TensorProxy
from thunder.core.symbol import BoundSymbol
from thunder.core.trace import TraceCtx, tracectx
from thunder.core.transforms.recording import records, unrecorded_count

from gpt import GPT, GPTConfig


def _scopes(bound_symbols: Iterable[BoundSymbol]) -> Iterable[list[BoundSymbol]]:
    scope = list(bound_symbols)
    yield scope
    for bsym in scope:
        yield from _scopes(bsym.subsymbols)


def test_a_tensor_is_unpacked_once_in_a_scope() -> None:
    tokens = torch.zeros(2, 5, dtype=torch.long)
    jitted = thunder.jit(GPT(GPTConfig(layers=1)), cache="symbolic values")
    jitted(tokens, tokens)
    recorded = thunder.symbolic.recorded_trace(jitted)
    assert thunder.symbolic.count_unpacks(recorded) > 0
    for scope in _scopes(recorded.bound_symbols):
        unpacked = Counter(bsym.args[0].name for bsym in scope if bsym.sym is prims.shape)
        assert max(unpacked.values(), default=1) == 1, str(unpacked)


def test_a_number_of_elements_is_multiplied_once_where_nothing_is_recorded() -> None:
    calls: list[Any] = []

    def multiply(shape: tuple[int, ...]) -> int:
        calls.append(shape)
        return shape[0] * shape[1]

    trace = TraceCtx()
    with tracectx(trace):
        tensor = TensorProxy(shape=(2, 3), device=thunder.devices.cpu, dtype=thunder.dtypes.float32)
        assert records()
        trace.push_scope(None)
        assert not records()
        assert [unrecorded_count(tensor, multiply) for _ in range(2)] == [6, 6]
        trace.pop_scope()
    assert calls == [(2, 3)]
    with tracectx(TraceCtx()):  # whose names are its own
        assert unrecorded_count(tensor, multiply) == 6
    assert len(calls) == 2


@dataclass
class _Box:
    content: Any


def test_a_tree_is_flattened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with tracectx(TraceCtx()):
        tree = (torch.ones(1), {"a": [1, None, "text"]}, _Box((2, _Box(3))))
        leaves, spec = pytree.tree_flatten_with_dataclass(tree)
    assert leaves[1:] == [1, None, "text", 2, 3]
    assert pytree.tree_unflatten(leaves, spec)[2] == tree[2]
    calls: list[Any] = []
    flatten = pytree.optree.tree_flatten
    monkeypatch.setattr(pytree.optree, "tree_flatten", lambda *a, **k: calls.append(a) or flatten(*a, **k))
    monkeypatch.setattr(pytree.optree, "tree_map", None)
    assert pytree.tree_flatten_with_dataclass((1, [2]))[0] == [1, 2]
    assert len(calls) == 1


def test_an_unsupported_tree_is_refused_as_before() -> None:
    with pytest.raises(TypeError, match="not supported"):
        pytree.tree_flatten_with_dataclass(object())


def test_signatures_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    read = inspect.signature

    def counting(function: Any, **options: Any) -> inspect.Signature:
        seen.append(function)
        return read(function, **options)

    monkeypatch.setattr(inspect, "signature", counting)
    jitted = thunder.jit(lambda x: ((x + 1) * 2 + 3) * 4)
    assert torch.equal(jitted(torch.ones(2)), torch.full((2,), 28.0))
    metas = Counter(id(function) for function in seen if "meta" in getattr(function, "__name__", ""))
    assert max(metas.values(), default=1) == 1
