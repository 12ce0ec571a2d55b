"""Patch to ``thunder.core.symbol``: the result of an operation on numbers carries its expression."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from thunder.core.compile_data import guard_recorder, quietly
from thunder.core.memoized import memoized_inspect
from thunder.core.symbol import BoundSymbol, Symbol
from thunder_symbolic.vocabulary import amend, wrap


@amend("inspect")
def remember_signatures(original: ModuleType) -> ModuleType:
    return memoized_inspect()


@wrap("Symbol.__call__")
def call(original: Callable[..., Any], self: Symbol, *args: Any, **kwargs: Any) -> Any:
    recorder = guard_recorder()
    if recorder is None or not self.is_prim:
        return original(self, *args, **kwargs)
    from thunder.core.transforms.number_operations import attach_expression, is_number_call

    if not is_number_call(args, kwargs):
        return original(self, *args, **kwargs)
    with recorder.quiet():
        result = original(self, *args, **kwargs)
    attach_expression(recorder, self, args, result)
    return result


@wrap("BoundSymbol.python")
def print_quietly(original: Callable[..., list[str]], self: BoundSymbol, *args: Any, **kwargs: Any) -> list[str]:
    return quietly(original, self, *args, **kwargs)
