"""Mutation testing of the clean-up pass: how many small faults do the tests and the verifier find?

Each mutant is one change to one file, written to a copy of the checkout; the tests of the pass run on it.
Run as ``python benchmarks/mutants.py``.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

ROOT = Path(__file__).resolve().parent.parent
PASS = Path("thunder/core/transforms")
FILES = [PASS / name for name in ("clean_up.py", "value_table.py", "dead_code.py")]
TESTS = ["test_clean_up.py", "test_golden_traces.py", "test_cases.py"]
CHOSEN = "not test_cases or rotary or view_heads or reshape or int_argument or positions or mlp"
SECONDS = 180

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield descriptions and replacements of one node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
        new = copy.deepcopy(node)
        new.ops[0] = _COMPARISONS[type(node.ops[0])]()
        yield "other comparison", new
    elif isinstance(node, ast.BoolOp):
        new_bool = copy.deepcopy(node)
        new_bool.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and/or", new_bool
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "without not", node.operand
    elif isinstance(node, ast.IfExp):
        yield "never the first", node.orelse
        yield "always the first", node.body
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "other number", ast.Constant(node.value + 1)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "returns None", ast.Return(ast.Constant(None))
    elif isinstance(node, (ast.Expr, ast.AugAssign)) and not (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ):
        yield "without the statement", ast.Pass()
    elif isinstance(node, ast.Continue):
        yield "without continue", ast.Pass()


class _Replace(ast.NodeTransformer):
    def __init__(self, position: int, new: ast.AST) -> None:
        self.left, self.new = position, new

    def visit(self, node: ast.AST) -> ast.AST:
        self.left -= 1
        return ast.copy_location(self.new, node) if self.left == -1 else super().visit(node)


class _Order(ast.NodeVisitor):
    def __init__(self) -> None:
        self.nodes: list[ast.AST] = []

    def visit(self, node: ast.AST) -> None:
        self.nodes.append(node)
        super().visit(node)


def mutants(path: Path) -> Iterator[tuple[str, str]]:
    """Yield a description and the whole source of each mutant of the file at ``path``."""
    tree = ast.parse((ROOT / path).read_text())
    order = _Order()
    order.visit(tree)
    for position, node in enumerate(order.nodes):
        for what, new in _changes(node):
            changed = _Replace(position, new).visit(copy.deepcopy(tree))
            line = getattr(node, "lineno", 0)
            yield f"{path.name}:{line}: {what}", ast.unparse(ast.fix_missing_locations(changed))


def is_killed(path: Path, source: str) -> bool:
    """Return whether the tests fail on a copy of the checkout with ``source`` at ``path``."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("thunder", "thunder_symbolic"):
            shutil.copytree(ROOT / name, Path(folder) / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        (Path(folder) / path).write_text(source)
        tests = [str(Path(folder) / "thunder" / "tests" / name) for name in TESTS]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k", CHOSEN, *tests]
        environment = {**os.environ, "PYTHONPATH": folder}
        try:
            run = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return True
        return run.returncode != 0


def main() -> int:
    """Print mutants tried, killed and survived; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sample", type=int, default=60, help="mutants to try, chosen at random (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice (default: 0)")
    parser.add_argument("--workers", type=int, default=2, help="tests at the same time (default: 2)")
    options = parser.parse_args()
    found = [(path, what, source) for path in FILES for what, source in mutants(path)]
    chosen = random.Random(options.seed).sample(found, min(options.sample, len(found)))
    console = Console()
    if is_killed(FILES[0], (ROOT / FILES[0]).read_text()):
        console.print("the tests fail without any mutant: mend them first")
        return 1
    with Progress(console=console) as progress, ThreadPoolExecutor(options.workers) as pool:
        task = progress.add_task("mutants", total=len(chosen))

        def attempt(mutant: tuple[Path, str, str]) -> bool:
            killed = is_killed(mutant[0], mutant[2])
            progress.advance(task)
            return killed

        killed = list(pool.map(attempt, chosen))
    for (_, what, _), dead in zip(chosen, killed):
        if not dead:
            console.print(f"survived: {what}")
    console.print(f"{len(found)} mutants, {len(chosen)} tried, {sum(killed)} killed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
