"""How an input is reached from a call's arguments, written with the names that the user gave."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

_MEMBER_TABLES = {"_parameters", "_buffers", "_modules"}


class Path(NamedTuple):
    """One step of access.

    Args:
        kind: ``args``, ``kwargs``, ``function`` or ``cache_info`` at a root, else ``item``, ``attribute``, ``member``
            (a parameter, buffer or submodule by its dotted name) or ``opaque``.
        base: the path of the object that is read; None at a root.
        key: the index, key, attribute or dotted name; the text of an opaque path.
    """

    kind: str
    base: Path | None = None
    key: Any = None

    def item(self, key: Any) -> Path:
        """Return the path of ``self[key]``."""
        return Path("item", self, key)

    def attribute(self, name: str) -> Path:
        """Return the path of ``self.name``."""
        return Path("attribute", self, name)


ARGS, KWARGS, FUNCTION, CACHE_INFO = Path("args"), Path("kwargs"), Path("function"), Path("cache_info")
# What upstream asks of the surroundings of a call, as PyTorch names it
_SETTINGS = {
    "default_dtype": "torch.get_default_dtype()",
    "default_device": "torch.get_default_device()",
    "is_autocast_enabled": "torch.is_autocast_enabled()",
    "is_grad_enabled": "torch.is_grad_enabled()",
    "alias_tensor_indices": "the arguments that share memory",
}


class Parameters:
    """The names that a callable gives to its inputs.

    Args:
        function: the callable or module that was jitted, or None where it is not known.
    """

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        self.is_module = isinstance(function, torch.nn.Module)
        self._positional: list[str] = []
        self._named: set[str] = set()
        self._rest: str | None = None
        self._keywords: str | None = None
        called = function.forward if isinstance(function, torch.nn.Module) else function
        self._free_variables: tuple[str, ...] = getattr(getattr(function, "__code__", None), "co_freevars", ())
        try:
            parameters = inspect.signature(called).parameters.values()  # type: ignore[arg-type]
        except (TypeError, ValueError):  # a builtin, or no function
            return
        for parameter in parameters:
            if parameter.kind is parameter.VAR_POSITIONAL:
                self._rest = parameter.name
            elif parameter.kind is parameter.VAR_KEYWORD:
                self._keywords = parameter.name
            else:
                self._named.add(parameter.name)
                if parameter.kind is not parameter.KEYWORD_ONLY:
                    self._positional.append(parameter.name)

    def describe(self, path: Path) -> str:
        """Return ``path`` as the user would write it: ``x``, ``batch['ids']``, ``self.layers[0].weight``."""
        base = path.base
        if base is None:
            return self._root(path)
        if base.kind == "cache_info":
            return _SETTINGS.get(path.key, path.key)
        known = self._argument(path) if path.kind == "item" else self._variable(path)
        if known is not None:
            return known
        if path.kind == "attribute":
            return f"{self.describe(base)}.{path.key}"
        if path.kind == "member" or (base.kind == "attribute" and base.key in _MEMBER_TABLES):
            owner = base if path.kind == "member" or base.base is None else base.base
            parts = [f".{part}" if part.isidentifier() else f"[{part}]" for part in str(path.key).split(".")]
            return self.describe(owner) + "".join(parts)
        key = self.describe(path.key) if isinstance(path.key, Path) else repr(path.key)
        return f"{self.describe(base)}[{key}]"

    def _root(self, path: Path) -> str:
        if path.kind == "function":
            return "self" if self.is_module else "fn"
        return str(path.key) if path.kind == "opaque" else path.kind

    def _argument(self, path: Path) -> str | None:
        key = path.key
        if path.base == ARGS and isinstance(key, int) and key >= 0:
            if key < len(self._positional):
                return self._positional[key]
            return None if self._rest is None else f"{self._rest}[{key - len(self._positional)}]"
        if path.base == KWARGS and isinstance(key, str):
            if key in self._named:
                return key
            return None if self._keywords is None else f"{self._keywords}[{key!r}]"
        if path.base is not None and path.base.kind == "attribute" and path.base.key == "__globals__":
            return str(key)
        return None

    def _variable(self, path: Path) -> str | None:
        """Return the name of a variable that the function closes over."""
        cell = path.base
        if path.key != "cell_contents" or cell is None or cell.base != FUNCTION.attribute("__closure__"):
            return None
        return self._free_variables[cell.key] if cell.key in range(len(self._free_variables)) else None
