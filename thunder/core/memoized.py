"""Standard modules as upstream's modules see them, with a slow function that answers from memory."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Iterable
from types import CodeType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from torch.utils.weak import WeakIdKeyDictionary


def _with(original: ModuleType, **functions: Callable[..., Any]) -> ModuleType:
    module = ModuleType(original.__name__, original.__doc__)
    module.__dict__.update({name: value for name, value in vars(original).items() if not name.startswith("__")})
    module.__dict__.update(functions)
    return module


def memoized_dis() -> ModuleType:
    """Return a module like ``dis`` whose ``get_instructions`` disassembles each code object once.

    Instructions are kept while their code object lives, by its identity: equal code objects may differ in their
    source positions.
    """
    known: Any = WeakIdKeyDictionary()

    def get_instructions(x: Any, **options: Any) -> Iterable[dis.Instruction]:
        if options or type(x) is not CodeType:
            return dis.get_instructions(x, **options)
        instructions: tuple[dis.Instruction, ...] | None = known.get(x)
        if instructions is None:
            instructions = known[x] = tuple(dis.get_instructions(x))
        return instructions

    return _with(dis, get_instructions=get_instructions)


def memoized_inspect() -> ModuleType:
    """Return a module like ``inspect`` whose ``signature`` reads that of a function once, while the function lives."""
    known: WeakKeyDictionary[Any, inspect.Signature] = WeakKeyDictionary()

    def signature(function: Any, **options: Any) -> inspect.Signature:
        if options or not inspect.isfunction(function):
            return inspect.signature(function, **options)
        found = known.get(function)
        if found is None:
            found = known[function] = inspect.signature(function)
        return found

    return _with(inspect, signature=signature)
