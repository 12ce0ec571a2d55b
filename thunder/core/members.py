"""What a jitted module takes from its module: the members as they are at each call, and itself when it is copied."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from torch import nn

_ABSENT = object()


class Members(MutableMapping[str, Any]):
    """Members of a module, those that somebody assigned here in place of the module's own.

    Upstream copies the members when it compiles a module, and so misses what is assigned to the module later.

    Args:
        module: the module.
        table: the attribute that holds the members of one module: "_parameters", "_buffers" or "_modules".
    """

    def __init__(self, module: nn.Module, table: str) -> None:
        self._module, self._table = module, table
        self._assigned: dict[str, Any] = {}
        self._paths: dict[str, list[str]] = {}

    def get(self, name: str, default: Any = None) -> Any:
        """Return the member called ``name``, a path with dots, or ``default``."""
        if self._assigned:
            assigned = self._assigned.get(name, _ABSENT)
            if assigned is not _ABSENT:
                return assigned
        path = self._paths.get(name)
        if path is None:
            path = self._paths[name] = name.split(".")
        holder = self._module
        for part in path[:-1]:
            holder = holder._modules.get(part)
            if holder is None:
                return default
        member = holder.__dict__[self._table].get(path[-1]) if name else holder
        return default if member is None else member

    def __getitem__(self, name: str) -> Any:
        member = self.get(name, _ABSENT)
        if member is _ABSENT:
            raise KeyError(name)
        return member

    def __setitem__(self, name: str, value: Any) -> None:
        self._assigned[name] = value

    def __delitem__(self, name: str) -> None:
        del self._assigned[name]

    def __iter__(self) -> Iterator[str]:
        named = {"_parameters": "named_parameters", "_buffers": "named_buffers", "_modules": "named_modules"}
        own = dict.fromkeys(name for name, _ in getattr(self._module, named[self._table])())
        return iter({**own, **self._assigned})

    def __len__(self) -> int:
        return sum(1 for _ in self)


def follow_assignments(jitted: Any) -> None:
    """Let a jitted module read its parameters, buffers and submodules where they are, but for those it replaced.

    Args:
        jitted: what ``thunder.jit`` returned for a module.
    """
    for attribute, table in (
        ("_overrides_parameters", "_parameters"),
        ("_overrides_buffers", "_buffers"),
        ("_module_cache", "_modules"),
    ):
        members = Members(jitted._model, table)
        for name, value in getattr(jitted, attribute).items():
            if members.get(name) is not value:
                members[name] = value  # a transform's
        setattr(jitted, attribute, members)


class JitOptions:
    """The options a module was jitted with; copies of the module share them.

    Args:
        options: keyword arguments of ``thunder.jit``.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    def __deepcopy__(self, memo: dict[int, Any]) -> JitOptions:
        return self


def jit_again(model: nn.Module, options: JitOptions) -> Any:
    """Return ``model`` jitted with ``options``."""
    import thunder

    return thunder.jit(model, **options.options)
