"""Mutation testing of the clean-up pass: how many small faults do the tests and the verifier find?

Each mutant is one change to one file, written to a copy of the checkout; the tests of the pass run on it.
Run as ``python benchmarks/mutants.py``; ``--sample 0`` tries every mutant.
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
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

ROOT = Path(__file__).resolve().parent.parent
PASS = Path("thunder/core/transforms")
FILES = [PASS / name for name in ("clean_up.py", "value_table.py", "dead_code.py")]
TESTS = ["test_clean_up.py", "test_dead_code.py", "test_scaling.py", "test_golden_traces.py", "test_cases.py"]
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
_QUANTIFIERS = {"any": "all", "all": "any"}


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
    elif isinstance(node, ast.If):
        for taken in (True, False):
            decided = copy.deepcopy(node)
            decided.test = ast.Constant(taken)
            yield f"if {taken}", decided
    elif isinstance(node, ast.comprehension) and node.ifs:
        unfiltered = copy.deepcopy(node)
        unfiltered.ifs = []
        yield "without the filter", unfiltered
    elif isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name):
        yield "without the assignment", ast.Pass()
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "reversed":
        yield "not reversed", node.args[0]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _QUANTIFIERS:
        swapped = copy.deepcopy(node)
        swapped.func = ast.Name(_QUANTIFIERS[node.func.id], ast.Load())
        yield "any/all", swapped


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


def line_of(node: ast.AST) -> int:
    """Return the line of ``node``, or of its first part that has one."""
    return next((line for part in ast.walk(node) if (line := getattr(part, "lineno", 0))), 0)


def mutants(path: Path) -> Iterator[tuple[str, str]]:
    """Yield a description and the whole source of each mutant of the file at ``path``."""
    tree = ast.parse((ROOT / path).read_text())
    order = _Order()
    order.visit(tree)
    for position, node in enumerate(order.nodes):
        for what, new in _changes(node):
            changed = _Replace(position, new).visit(copy.deepcopy(tree))
            yield f"{path.name}:{line_of(node)}: {what}", ast.unparse(ast.fix_missing_locations(changed))


def take_copy(folder: Path) -> None:
    """Copy what the tests need to ``folder``, so that edits during the run change nothing."""
    for name in ("thunder", "thunder_symbolic"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)


def run_tests(original: Path, path: Path, source: str) -> str:
    """Return ``passed``, ``failed`` or ``timed out``: the tests on a copy of ``original`` with ``source`` at ``path``.

    Raises:
        RuntimeError: where pytest did not get as far as running tests for another reason than the mutant.
    """
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "checkout"
        shutil.copytree(original, folder)
        (folder / path).write_text(source)
        tests = [str(folder / "thunder" / "tests" / name) for name in TESTS]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k", CHOSEN, *tests]
        environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            run = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return "timed out"
        if run.returncode in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise RuntimeError(run.stdout + run.stderr)
        return "failed" if run.returncode else "passed"


def main() -> int:
    """Print mutants tried, killed and survived; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sample", type=int, default=60, help="mutants to try, chosen at random (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice (default: 0)")
    parser.add_argument("--workers", type=int, default=2, help="tests at the same time (default: 2)")
    options = parser.parse_args()
    found = [(path, what, source) for path in FILES for what, source in mutants(path)]
    size = min(options.sample, len(found)) or len(found)
    chosen = random.Random(options.seed).sample(found, size)
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory() as parent:
        original = Path(parent) / "original"
        original.mkdir()
        take_copy(original)
        # As unparsed, so that a difference is the mutant's and not the unparsing's
        if run_tests(original, FILES[0], ast.unparse(ast.parse((original / FILES[0]).read_text()))) != "passed":
            console.print("the tests fail without any mutant: mend them first")
            return 1
        with Progress(console=console) as progress, ThreadPoolExecutor(options.workers) as pool:
            task = progress.add_task("mutants", total=len(chosen))

            def attempt(mutant: tuple[Path, str, str]) -> str:
                path, what, source = mutant
                result = run_tests(original, path, source)
                if result != "failed":
                    console.print(f"{'survived' if result == 'passed' else result}: {what}", soft_wrap=True)
                progress.advance(task)
                return result

            results = Counter(pool.map(attempt, chosen))
    killed = results["failed"] + results["timed out"]
    console.print(
        f"{len(found)} mutants, {len(chosen)} tried (seed {options.seed}), {killed} killed "
        f"({results['timed out']} by the time limit), {results['passed']} survived"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
