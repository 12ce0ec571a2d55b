"""Applies the patch tree to the upstream modules as they are imported, all of it or nothing."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import wrapt

from thunder_symbolic import sources, tree
from thunder_symbolic.binding import Bound, bind, in_force, rebind, restore
from thunder_symbolic.startup import is_compatibility_only
from thunder_symbolic.vocabulary import changes_in


class PatchError(ImportError):
    """A patch could not be applied; everything was restored."""


_bound: list[Bound] = []
_extended: list[tuple[ModuleType, list[str] | None]] = []
_state = {"active": False, "hooked": False}
_refusal: list[str] = []


def applied() -> list[str]:
    """Return the full name of each upstream object that is patched now."""
    return [entry.full_name for entry in _bound]


def bindings() -> tuple[Bound, ...]:
    """Return what is bound now, for inspection."""
    return tuple(_bound)


def patch_files() -> dict[str, Path]:
    """Return the patch files by upstream module that this process applies."""
    files = tree.patch_files()
    return {name: files[name] for name in tree.COMPATIBILITY} if is_compatibility_only() else files


def extended_packages() -> dict[str, Path]:
    """Return the folders of new modules by the package that they extend in this process."""
    return {} if is_compatibility_only() else tree.extended_packages()


def refusal() -> list[str]:
    """Return the upstream objects for which the source gate refused, if it did."""
    return list(_refusal)


def install() -> bool:
    """Patch Thunder now where it is imported, and as it is imported where it is not.

    Applying twice changes nothing. Where an upstream object is not the one that its patch was written for,
    nothing is patched and one warning says so.

    Returns:
        bool: whether the patches are in force.

    Raises:
        PatchError: where a patch fails while it is applied; the originals are restored.
    """
    if _state["active"]:
        return True
    _refusal[:] = sources.differences()
    if _refusal:
        warnings.warn(
            f"thunder-symbolic leaves Thunder as it is: {', '.join(_refusal)} differ from {sources.SUPPORTED}, "
            f"for which its patches were written. Install that version, or see `thunder-symbolic doctor`.",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    _state["active"] = in_force[0] = True
    if not _state["hooked"]:
        sys.meta_path.insert(0, _AroundImport())
    for name in dict.fromkeys((*extended_packages(), *patch_files())):
        if not _state["hooked"]:
            wrapt.register_post_import_hook(_after_import, name)
        elif name in sys.modules:
            _after_import(sys.modules[name])
    _state["hooked"] = True
    return True


def uninstall() -> None:
    """Restore every original, also where other modules of Thunder have bound a replacement by name."""
    _state["active"] = in_force[0] = False
    for entry in reversed(_bound):
        restore(entry)
    _bound.clear()
    for module, path in reversed(_extended):
        if path is None:
            del module.__path__
        else:
            module.__path__ = path
    _extended.clear()


def _after_import(module: ModuleType) -> None:
    if not _state["active"]:
        return
    name = module.__name__
    folder = extended_packages().get(name)
    if folder is not None and all(entry is not module for entry, _ in _extended):
        path = getattr(module, "__path__", None)
        _extended.append((module, None if path is None else list(path)))
        module.__path__ = [*(path or ()), str(folder)]
    file = patch_files().get(name)
    if file is None or any(entry.module == name for entry in _bound):
        return
    try:
        for change in changes_in(vars(_load_patch(name, file))):
            if change.kind != "around_import":
                entry = bind(module, change)
                _bound.append(entry)
                rebind(entry.original, entry.replacement)
    except Exception as error:
        uninstall()
        raise PatchError(f"the patch of {name} failed and all patches were taken back: {error}") from error


def _load_patch(name: str, path: Path) -> ModuleType:
    full_name = f"thunder_symbolic.patches.{name}"
    known = sys.modules.get(full_name)
    if known is not None:
        return known
    spec = importlib.util.spec_from_file_location(full_name, path)
    assert spec is not None and spec.loader is not None
    patch = importlib.util.module_from_spec(spec)
    sys.modules[full_name] = patch
    try:
        spec.loader.exec_module(patch)
    except BaseException:
        del sys.modules[full_name]
        raise
    return patch


class _Around(importlib.abc.Loader):
    """Runs a module's body inside the context managers that its patch declares."""

    def __init__(self, name: str, path: Path, inner: Any) -> None:
        self.name, self.path, self.inner = name, path, inner

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self.inner.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        from contextlib import ExitStack

        with ExitStack() as stack:
            for change in changes_in(vars(_load_patch(self.name, self.path))):
                if change.kind == "around_import":
                    stack.enter_context(change.function(Path(self.inner.path)))
            self.inner.exec_module(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class _AroundImport(importlib.abc.MetaPathFinder):
    """Finds the upstream modules whose patch acts around their import."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        file = patch_files().get(name) if _state["active"] and name.startswith("thunder.") else None
        if file is None or "around_import" not in file.read_text():
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _Around(name, file, spec.loader)
        return spec
