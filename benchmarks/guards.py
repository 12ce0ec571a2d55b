"""Time of a cache hit by number of guards and of specializations, beside ``torch.compile(dynamic=True)``."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import thunder
import torch
from rich.console import Console
from rich.table import Table
from thunder.core.search import build_search
from torch import Tensor


@dataclass
class Row:
    """Medians over the rounds of one run, in microseconds a call.

    Attributes:
        case: what the function decides on.
        guards: guards of each specialization.
        entries: specializations.
        hit: a call of the jitted function.
        torch_compile: the same of ``torch.compile(dynamic=True)``.
        eager: the same without compilation.
        check: the search for the specialization, of ``hit``.
        guard_share: what the guards on numbers take of ``check``, between 0 and 1.
        to_torch_compile: ``hit`` as a multiple of ``torch_compile``.
        to_first: ``hit`` as a multiple of that of the first row of the same kind.
    """

    case: str
    guards: int
    entries: int
    hit: float
    torch_compile: float
    eager: float
    check: float
    guard_share: float
    to_torch_compile: float
    to_first: float = 1.0


def _define(lines: list[str]) -> Callable[[Tensor], Tensor]:
    namespace: dict[str, Any] = {}
    exec("\n".join(["def function(x):", *lines]), namespace)
    return namespace["function"]


def with_guards(count: int) -> Callable[[Tensor], Tensor]:
    """Return a function that takes ``count`` decisions on a dim, none of which follows from the others."""
    return _define([f" if x.shape[0] == {1000 + n}: return x - {n}" for n in range(count)] + [" return x + 1"])


def with_remainders(count: int) -> Callable[[Tensor], Tensor]:
    """Return a function that takes ``count`` decisions on remainders of a dim, each of another divisor."""
    return _define([f" if x.shape[0] % {n + 7} == 6: return x - {n}" for n in range(count)] + [" return x + 1"])


def with_entries(count: int) -> Callable[[Tensor], Tensor]:
    """Return a function with ``count`` programs, chosen by a dim."""
    return _define([f" if x.shape[0] < {10 * (n + 1)}: return x + {n}" for n in range(count - 1)] + [" return x - 1"])


def _seconds(function: Callable[..., Any], inputs: list[Any], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        for x in inputs:
            function(*x)
    return (time.perf_counter() - start) / (calls * len(inputs))


def measure(case: str, function: Callable[[Tensor], Tensor], inputs: list[Tensor], rounds: int, calls: int) -> Row:
    """Return the medians of ``rounds`` interleaved rounds; ``inputs`` bring one specialization each."""
    torch._dynamo.reset()
    jitted = thunder.jit(function, cache="symbolic values")
    compiled = torch.compile(function, dynamic=True)
    for x in inputs * 2:
        assert torch.equal(jitted(x), function(x)) and torch.equal(compiled(x), function(x))
    stats, data = thunder.compile_stats(jitted), thunder.compile_data(jitted)
    cache = stats.interpreter_cache
    entries = len(cache)
    assert (entries, thunder.cache_misses(jitted)) == (len(inputs), len(inputs))

    prologues = [(index, item.prologue) for index, item in enumerate(cache.specializations)]
    search, _ = build_search(cache._names, prologues)
    bare, _ = build_search(cache._names, [(0, replace(cache.specializations[0].prologue, guards=()))])
    alone, _ = build_search(cache._names, prologues[:1])
    info: dict[str, Any] = {}
    data.populate_cache_info(info, inputs[0])
    places: list[tuple[Any, ...]] = [((x,), {}, info, data._thunder_module_map) for x in inputs]
    assert all(search(*place) is not None for place in places)

    arguments: list[tuple[Any, ...]] = [(x,) for x in inputs]
    contestants: dict[str, tuple[Callable[..., Any], list[Any]]] = {
        "hit": (jitted, arguments),
        "torch_compile": (compiled, arguments),
        "eager": (function, arguments),
        "check": (search, places),
        "alone": (alone, places[:1]),
        "bare": (bare, places[:1]),
    }
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, (contestant, given) in contestants.items():
            times[name].append(1e6 * _seconds(contestant, given, max(1, calls // len(given))))
    median = {name: statistics.median(values) for name, values in times.items()}
    # Of each round, so that what slows the machine slows both
    share = statistics.median(1 - bare / alone for bare, alone in zip(times["bare"], times["alone"]))
    ratio = statistics.median(mine / other for mine, other in zip(times["hit"], times["torch_compile"]))
    guards = len(cache.specializations[0].prologue.told)
    shown = {name: median[name] for name in ("hit", "torch_compile", "eager", "check")}
    return Row(case, guards, entries, **shown, guard_share=share, to_torch_compile=ratio)


def main() -> None:
    """Measure, print a table and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=300, help="calls a round")
    parser.add_argument("--json", type=Path, default=Path("build/guards.json"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 256

    rows = []
    for kind, define, counts in (
        ("guards", with_guards, (1, 10, 100)),
        ("remainders", with_remainders, (1, 10, 100)),
        ("entries", with_entries, (1, 8, 32)),
    ):
        group = []
        for count in counts:
            inputs = [torch.ones(10 * n + 5, 2) for n in range(count if kind == "entries" else 1)]
            group.append(measure(f"{count} {kind}", define(count), inputs, options.rounds, options.calls))
        rows += [replace(row, to_first=row.hit / group[0].hit) for row in group]

    table = Table(title="A cache hit, microseconds a call (medians)")
    for heading in ("case", "guards", "entries", "hit", "x first", "torch.compile", "ratio", "eager", "check", "share"):
        table.add_column(heading, justify="left" if heading == "case" else "right")
    for row in rows:
        times = [f"{value:.1f}" for value in (row.hit, row.torch_compile, row.eager, row.check)]
        numbers = [times[0], f"{row.to_first:.2f}", times[1], f"{row.to_torch_compile:.2f}", *times[2:]]
        table.add_row(row.case, str(row.guards), str(row.entries), *numbers, f"{row.guard_share:.2f}")
    Console(width=110).print(table)
    print("ratio: hit / torch.compile; check: the search alone; share: what shape guards take of one entry's check")
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
