"""The source gate: the upstream objects that are patched are the ones the patches were written for."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thunder_symbolic.tree import patch_files, upstream_file

RECORD = Path(__file__).with_name("sources.json")
SUPPORTED = "lightning-thunder 0.2.6"
_WORDS = {"replace", "wrap", "amend"}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def declared_targets(path: Path) -> list[str]:
    """Return the upstream names that a patch file replaces, wraps or amends, read from its decorators."""
    return [
        decorator.args[0].value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Name)
        and decorator.func.id in _WORDS
        and isinstance(decorator.args[0], ast.Constant)
        and isinstance(decorator.args[0].value, str)
    ]


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name for alias in node.names)


def object_digest(source: str, target: str) -> str | None:
    """Return the digest of the source of ``target`` in a module's ``source``, or None where it is not defined."""
    tree: Any = ast.parse(source)
    symbol = target.removesuffix(".meta")
    if symbol != target:
        return _symbol_digest(source, symbol)
    for name in target.split("."):
        tree = next((node for node in reversed(tree.body) if name in _names(node)), None)
        if tree is None:
            return None
    segment = ast.get_source_segment(source, tree)
    decorators = "\n".join(ast.get_source_segment(source, d) or "" for d in getattr(tree, "decorator_list", ()))
    return _digest(f"{decorators}\n{segment}")


def _symbol_digest(source: str, name: str) -> str | None:
    """Return the digest of a symbol: of its definition, and of the function that it names as its meta."""
    metas = [
        keyword.value.id
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and name in _names(node) and isinstance(node.value, ast.Call)
        for keyword in node.value.keywords
        if keyword.arg == "meta" and isinstance(keyword.value, ast.Name)
    ]
    digests = [object_digest(source, part) for part in (name, *metas)]
    return None if None in digests else _digest("".join(map(str, digests)))


def record() -> dict[str, Any]:
    """Return the record of every declared upstream object, made from the installed upstream."""
    modules = {}
    for module, path in patch_files().items():
        source = upstream_file(module).read_text()
        objects = {target: object_digest(source, target) for target in sorted(declared_targets(path))}
        missing = [target for target, digest in objects.items() if digest is None]
        if missing:
            raise LookupError(f"{module} does not define {', '.join(missing)}: correct the patch {path}")
        modules[module] = {"file": _digest(source), "objects": objects}
    return {"supported": SUPPORTED, "modules": modules}


def differences(recorded: dict[str, Any] | None = None) -> list[str]:
    """Return what differs between the recorded and the installed upstream objects, by full name."""
    recorded = json.loads(RECORD.read_text()) if recorded is None else recorded
    modules = recorded["modules"]
    found = [f"{module} (patched, but not in the record)" for module in patch_files() if module not in modules]
    for module, entry in modules.items():
        path = upstream_file(module)
        if not path.is_file():
            found.append(f"{module} (missing)")
            continue
        source = path.read_text()
        if _digest(source) == entry["file"]:
            continue
        # The file changed; what is patched in it may not have
        for target, digest in entry["objects"].items():
            if object_digest(source, target) != digest:
                found.append(f"{module}.{target}")
    return found


def write_record() -> None:
    """Write the record that ``differences`` compares with."""
    RECORD.write_text(json.dumps(record(), indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    write_record()
