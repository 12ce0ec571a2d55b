"""Patch to ``thunder.torch.default_torch_ops``: operations that the installed torch no longer has are left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from thunder_symbolic.vocabulary import amend, around_import


class _Removed:
    """Stands for an operation that torch lacks while upstream's tables are built."""


def _torch_paths(source: str) -> set[tuple[str, ...]]:
    """Return the attribute paths below ``torch`` that ``source`` mentions, each as its names."""
    paths = set()
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        expression: ast.AST = node
        while isinstance(expression, ast.Attribute):
            names.insert(0, expression.attr)
            expression = expression.value
        if names and isinstance(expression, ast.Name) and expression.id == "torch":
            paths.add(tuple(names))
    return paths


@around_import
@contextmanager
def lend_removed_operations(path: Path) -> Iterator[None]:
    """Give torch the names that the module at ``path`` reads and torch lacks, while its body runs."""
    lent: list[tuple[Any, str]] = []
    try:
        for names in sorted(_torch_paths(path.read_text())):
            owner: Any = torch
            for name in names:
                if not hasattr(owner, name):
                    setattr(owner, name, _Removed())
                    lent.append((owner, name))
                owner = getattr(owner, name)
        yield
    finally:
        for owner, name in reversed(lent):
            delattr(owner, name)


@amend("torch_auto_registered_ops")
def drop_removed_operations(table: dict[Any, list[Any]]) -> dict[Any, list[Any]]:
    return {
        owner: [operation for operation in operations if not isinstance(operation, _Removed)]
        for owner, operations in table.items()
        if not isinstance(owner, _Removed)
    }
