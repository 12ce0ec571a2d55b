"""Where the patch tree lies, and which of its files patch which upstream modules."""

from __future__ import annotations

import importlib.machinery
from functools import cache
from pathlib import Path

# Upstream's own __init__.py has its patch under this name: one of the same name would shadow the installed package
ROOT_PATCH = "__root__.py"
_PACKAGE = Path(__file__).resolve().parent


# What upstream needs to be imported beside a newer torch, and nothing else
COMPATIBILITY = ("thunder.torch.default_torch_ops",)


class UpstreamNotFound(ImportError):
    """lightning-thunder is not installed in this environment."""


@cache
def tree_root() -> Path:
    """Return the folder that mirrors upstream's package: inside an installed wheel, beside us in a checkout."""
    packaged = _PACKAGE / "tree"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "thunder"


@cache
def upstream_root() -> Path:
    """Return the folder of the installed ``thunder`` package.

    Raises:
        UpstreamNotFound: where there is none.
    """
    spec = importlib.machinery.PathFinder.find_spec("thunder")
    if spec is None or spec.origin is None:
        raise UpstreamNotFound("lightning-thunder is not installed: run `pip install lightning-thunder==0.2.6`")
    return Path(spec.origin).parent


def _relative_name(path: Path) -> str:
    return ".".join(("thunder", *path.with_suffix("").parts)).removesuffix(".__init__")


def upstream_file(module: str) -> Path:
    """Return the source file of an upstream module, which may not exist."""
    base = upstream_root().joinpath(*module.split(".")[1:])
    package = base / "__init__.py"
    return package if package.is_file() else base.with_suffix(".py")


@cache
def patch_files() -> dict[str, Path]:
    """Return the patch file of each upstream module that has one; other files of the tree are new modules."""
    root = tree_root()
    files = {"thunder": root / ROOT_PATCH}
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if relative.parts[0] != "tests" and (upstream_root() / relative).is_file():
            files[_relative_name(relative)] = path
    return files


@cache
def extended_packages() -> dict[str, Path]:
    """Return the folders of new modules by the upstream module whose ``__path__`` they extend."""
    root = tree_root()
    folders = {"thunder": root}
    for folder in sorted(p for p in root.rglob("*") if p.is_dir() and p.name != "__pycache__"):
        relative = folder.relative_to(root)
        if relative.parts[0] != "tests" and any(
            path.name != "__init__.py" and not (upstream_root() / relative / path.name).is_file()
            for path in folder.glob("*.py")
        ):
            folders[_relative_name(relative)] = folder
    return folders
