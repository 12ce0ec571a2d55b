"""Applies the patch tree to the upstream modules as they are imported."""

from __future__ import annotations

import functools
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import wrapt

from thunder_symbolic.vocabulary import Change, changes_in

TREE = Path(__file__).resolve().parent.parent / "thunder"


def _bind(module: ModuleType, change: Change) -> None:
    owner: Any = module
    *path, name = change.target.split(".")
    for part in path:
        owner = getattr(owner, part)
    function = change.function
    if change.kind == "add":
        setattr(owner, name, property(function, change.setter) if change.is_property else function)
        return
    original = owner.__dict__[name]
    if change.kind == "amend":
        setattr(owner, name, function(original))
        return
    is_property, is_static = isinstance(original, property), isinstance(original, staticmethod)
    call = original.fget if is_property else original.__func__ if is_static else original
    if change.kind == "wrap":

        @functools.wraps(call)
        def bound(*args: Any, **kwargs: Any) -> Any:
            return function(call, *args, **kwargs)

    else:
        bound = function
    setattr(owner, name, property(bound) if is_property else staticmethod(bound) if is_static else bound)


def apply_patch(module: ModuleType, path: Path) -> None:
    name = f"thunder_symbolic.patches.{module.__name__}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    patch = importlib.util.module_from_spec(spec)
    sys.modules[name] = patch
    spec.loader.exec_module(patch)
    for change in changes_in(vars(patch)):
        _bind(module, change)


def arm() -> None:
    """Register the hooks."""
    for path in sorted(TREE.rglob("*.py")):
        relative = path.relative_to(TREE).with_suffix("")
        if relative.parts[0] in ("tests", "symbolic") or relative.parts[:2] == ("core", "transforms"):
            continue
        name = ".".join(("thunder", *relative.parts)).removesuffix(".__init__")
        wrapt.register_post_import_hook(functools.partial(_hook, path=path), name)
    wrapt.register_post_import_hook(_extend, "thunder")
    wrapt.register_post_import_hook(_extend, "thunder.core.transforms")


def _hook(module: ModuleType, path: Path) -> None:
    apply_patch(module, path)


def _extend(module: ModuleType) -> None:
    folder = TREE.joinpath(*module.__name__.split(".")[1:])
    module.__path__ = [*getattr(module, "__path__", ()), str(folder)]
