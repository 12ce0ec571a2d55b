"""Binds one change to an upstream module, and takes it back."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from thunder_symbolic.vocabulary import Change

_ABSENT = object()


@dataclass(frozen=True)
class Bound:
    """A change in force: what stands where, and what stood there."""

    module: str
    target: str
    owner: Any
    original: Any
    replacement: Any

    @property
    def full_name(self) -> str:
        return f"{self.module}.{self.target}"


# Closures of upstream's tables keep calling replacements after they are taken back: then these step aside
in_force = [False]


def _wrapped(change: Change, original: Callable[..., Any]) -> Callable[..., Any]:
    function = change.function
    if change.kind == "replace":

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            return (function if in_force[0] else original)(*args, **kwargs)

    else:

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(original, *args, **kwargs) if in_force[0] else original(*args, **kwargs)

    return call


def _replacement(change: Change, original: Any) -> Any:
    if change.kind == "add":
        return property(change.function, change.setter) if change.is_property else change.function
    if change.kind == "amend":
        return change.function(original)
    inner = original
    if isinstance(original, property):
        inner = original.fget
    elif isinstance(original, (staticmethod, classmethod)):
        inner = original.__func__
    call = _wrapped(change, inner)
    if isinstance(original, property):
        return original.getter(call)
    return type(original)(call) if isinstance(original, (staticmethod, classmethod)) else call


def _get(owner: Any, name: str) -> Any:
    # A class or module is asked for its own attributes only; a symbol has slots
    return owner.__dict__.get(name, _ABSENT) if _has_namespace(owner) else getattr(owner, name, _ABSENT)


def _has_namespace(owner: Any) -> bool:
    return isinstance(owner, (type, ModuleType))


def _set(owner: Any, name: str, value: Any) -> None:
    if _has_namespace(owner):
        setattr(owner, name, value)
    else:
        object.__setattr__(owner, name, value)  # a symbol is a frozen dataclass


def bind(module: ModuleType, change: Change) -> Bound:
    """Bind ``change`` in ``module`` and return what was done.

    Raises:
        LookupError: where upstream lacks the name, or, for ``add``, has it.
    """
    owner: Any = module
    *path, name = change.target.split(".")
    for part in path:
        owner = getattr(owner, part)
    original = _get(owner, name)
    if (original is _ABSENT) != (change.kind == "add"):
        word = "does not define" if original is _ABSENT else "already defines"
        raise LookupError(f"{module.__name__} {word} {change.target}")
    replacement = _replacement(change, original)
    _set(owner, name, replacement)
    return Bound(module.__name__, change.target, owner, original, replacement)


def _function(value: Any) -> Any:
    if isinstance(value, property):
        return value.fget
    return value.__func__ if isinstance(value, (staticmethod, classmethod)) else value


def rebind(old: Any, new: Any) -> None:
    """Let the modules of Thunder that have bound ``old`` by name, or in a table, use ``new``."""
    old, new = _function(old), _function(new)
    if old is new or not callable(old) or isinstance(old, type):
        return
    for module, name in bound_elsewhere(old):
        setattr(module, name, new)
    for table in _tables():
        if old in table:
            table[new] = table.pop(old)
        for key in [key for key, value in table.items() if value is old]:
            table[key] = new


def _tables() -> list[dict[Any, Any]]:
    tables = {
        id(value): value
        for module in _thunder_modules()
        for value in list(vars(module).values())
        if type(value) is dict and value is not vars(module)
    }
    return list(tables.values())


def _thunder_modules() -> list[ModuleType]:
    return [
        module
        for name, module in list(sys.modules.items())
        if (name == "thunder" or name.startswith("thunder.")) and module is not None
    ]


def bound_elsewhere(value: Any) -> list[tuple[ModuleType, str]]:
    """Return the modules of Thunder, and the names, that are bound to ``value``."""
    return [
        (module, name) for module in _thunder_modules() for name, bound in list(vars(module).items()) if bound is value
    ]


def restore(entry: Bound) -> None:
    """Take back what ``bind`` did."""
    name = entry.target.rsplit(".", 1)[-1]
    if entry.original is _ABSENT:
        delattr(entry.owner, name)
    else:
        _set(entry.owner, name, entry.original)
        rebind(entry.replacement, entry.original)
