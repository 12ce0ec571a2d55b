"""The benchmark's results: tables on the terminal, JSON and a plot."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib
from rich.console import Console
from rich.table import Table

from peer import PEERS

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COMPILING = tuple(peer for peer in PEERS if peer != "eager")
COLOURS = dict(zip(PEERS, ("tab:blue", "tab:orange", "tab:red", "tab:green", "tab:gray")))


@dataclass
class Results:
    """What one run measured.

    Attributes:
        metadata: of the machine and of Python, by pyperf.
        sweep_shapes: how many shapes a sweep has.
        constant_shapes: how many of them are measured with constant values.
        compilations: answers by label and peer.
        verified: the answers of compilations under ``THUNDER_VERIFY=1``, by label.
        sweeps: answers by label and peer.
    """

    metadata: dict[str, Any]
    sweep_shapes: int
    constant_shapes: int
    compilations: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    verified: dict[str, dict[str, Any]] = field(default_factory=dict)
    sweeps: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)

    @staticmethod
    def label(workload: str, training: bool) -> str:
        """Return the name of a workload and of what is done with it."""
        return f"{workload}, {'training step' if training else 'inference'}"

    def add_compilation(self, workload: str, training: bool, peer: str, answer: dict[str, Any]) -> None:
        """Note one compilation."""
        self.compilations.setdefault(self.label(workload, training), {}).setdefault(peer, []).append(answer)

    def add_verification(self, workload: str, training: bool, answer: dict[str, Any]) -> None:
        """Note one compilation that was verified."""
        self.verified[self.label(workload, training)] = answer

    def add_sweep(self, workload: str, training: bool, peer: str, answer: dict[str, Any]) -> None:
        """Note one sweep."""
        self.sweeps.setdefault(self.label(workload, training), {}).setdefault(peer, []).append(answer)

    def seconds(self, label: str, peer: str, clock: str = "wall") -> list[float]:
        """Return the seconds of each compilation that succeeded."""
        answers = self.compilations.get(label, {}).get(peer, ())
        return [answer[clock] for answer in answers if clock in answer]

    def ratio(self, label: str, peer: str, other: str, clock: str = "wall") -> float | None:
        """Return the median of one peer's compile times by that of another's."""
        mine, theirs = self.seconds(label, peer, clock), self.seconds(label, other, clock)
        return statistics.median(mine) / statistics.median(theirs) if mine and theirs else None

    def same_traces(self, label: str) -> bool | None:
        """Return whether constant values have the traces of upstream."""
        digests = [
            answer.get("traces")
            for peer in ("constant", "upstream")
            for answer in self.compilations[label].get(peer, ())
        ]
        return None if not digests or None in digests else len(set(digests)) == 1

    def sweep_seconds(self, label: str, peer: str, clock: str = "wall") -> float | None:
        """Return the median seconds of a whole sweep; those of constant values are extrapolated from a few shapes."""
        totals = [
            sum(answer[clock]) * self.sweep_shapes / len(answer[clock])
            for answer in self.sweeps.get(label, {}).get(peer, ())
            if clock in answer
        ]
        return statistics.median(totals) if totals else None


def _spread(seconds: list[float]) -> str:
    if not seconds:
        return "failed"
    median = statistics.median(seconds)
    # The median absolute deviation: one disturbed repeat of three does not show in it
    spread = statistics.median(abs(value - median) for value in seconds)
    return (
        f"{median:.3f} ±{spread:.3f} ({len(seconds)})"
        if median < 10
        else f"{median:.1f} ±{spread:.1f} ({len(seconds)})"
    )


def compile_table(results: Results) -> Table:
    """Return compile times by workload and peer."""
    table = Table(title="compile seconds: median ±median absolute deviation (repeats)", title_justify="left")
    table.add_column("")
    for peer in COMPILING:
        table.add_column(peer, justify="right")
    table.add_column("clean-up", justify="right")
    table.add_column("verifier", justify="right")
    for label in results.compilations:
        cells = [_spread(results.seconds(label, peer)) for peer in COMPILING]
        table.add_row(label, *cells, _share(_clean_up_share(results, label)), _share(_verifier_share(results, label)))
    return table


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _clean_up_share(results: Results, label: str) -> float | None:
    shares = [a["clean_up"] / a["wall"] for a in results.compilations[label].get("symbolic", ()) if "clean_up" in a]
    return statistics.median(shares) if shares else None


def _verifier_share(results: Results, label: str) -> float | None:
    answer = results.verified.get(label, {})
    return answer["verifier"] / answer["wall"] if "verifier" in answer else None


@dataclass(frozen=True)
class Target:
    """One ratio and what it has to stay under."""

    name: str
    ratio: float | None
    allowed: float
    note: str = ""

    def row(self) -> tuple[str, str, str, str, str]:
        """Return the cells of a table's row."""
        if self.ratio is None:
            return self.name, "not measured", f"{self.allowed:.2f}", "", self.note
        met = "yes" if self.ratio <= self.allowed else "[bold]no[/]"
        return self.name, f"{self.ratio:.3f}", f"{self.allowed:.2f}", met, self.note


def targets(results: Results) -> Iterable[Target]:
    """Return the ratios that the project promises, by clock and by processor time."""
    for mode in ("inference", "training step"):
        label = f"gpt 4, {mode}"
        if label in results.compilations:
            for clock in ("wall", "cpu"):
                ratio = results.ratio(label, "symbolic", "upstream", clock)
                yield Target(f"{label}: symbolic / upstream compile ({clock})", ratio, 0.6)
    extrapolated = f"constant values extrapolated from {results.constant_shapes} to {results.sweep_shapes} shapes"
    for label in results.sweeps:
        mine = results.sweep_seconds(label, "symbolic")
        for peer, allowed, note in (
            ("upstream", 1 / 20, extrapolated),
            ("constant", 1 / 20, extrapolated),
            ("torch.compile", 1 / 2, f"{results.sweep_shapes} shapes"),
        ):
            theirs = results.sweep_seconds(label, peer)
            ratio = mine / theirs if mine and theirs else None
            yield Target(f"{label}: sweep, symbolic / {peer}", ratio, allowed, note)
    for label in results.compilations:
        same = {True: "same traces", False: "TRACES DIFFER", None: "traces not compared"}[results.same_traces(label)]
        yield Target(f"{label}: constant / upstream compile", results.ratio(label, "constant", "upstream"), 1.0, same)


def target_table(results: Results) -> Table:
    """Return the promised ratios with what was measured."""
    table = Table(title="ratios", title_justify="left")
    for title in ("", "measured", "allowed", "met", ""):
        table.add_column(title, justify="left" if not title else "right")
    for target in targets(results):
        table.add_row(*target.row())
    return table


def sweep_table(results: Results) -> Table:
    """Return the seconds of whole sweeps."""
    table = Table(
        title=f"seconds of a sweep of {results.sweep_shapes} shapes, compilations included", title_justify="left"
    )
    table.add_column("")
    for peer in PEERS:
        table.add_column(peer, justify="right")
    for label in results.sweeps:
        cells = []
        for peer in PEERS:
            seconds = results.sweep_seconds(label, peer)
            mark = " (extrapolated)" if peer in ("constant", "upstream") else ""
            cells.append("failed" if seconds is None else f"{seconds:.1f}{mark}")
        table.add_row(label, *cells)
    return table


def print_results(results: Results, console: Console) -> None:
    """Print the tables."""
    console.print(compile_table(results), sweep_table(results), target_table(results))
    for label, answers in results.compilations.items():
        for peer, answer in ((peer, a) for peer, all_of in answers.items() for a in all_of if "error" in a):
            console.print(f"{label} by {peer}: {answer['error']}", markup=False)


def _plot_compilations(axes: Any, results: Results) -> None:
    labels = list(results.compilations)
    width = 0.8 / len(COMPILING)
    for index, peer in enumerate(COMPILING):
        points = [(row, results.seconds(label, peer)) for row, label in enumerate(labels)]
        known = [(row, statistics.median(s), min(s), max(s)) for row, s in points if s]
        rows = [row + (index - (len(COMPILING) - 1) / 2) * width for row, *_ in known]
        medians = [max(median, 1e-3) for _, median, *_ in known]
        spans = [
            [max(m - max(low, 1e-3), 0) for m, (_, _, low, _) in zip(medians, known)],
            [max(high - m, 0) for m, (_, _, _, high) in zip(medians, known)],
        ]
        axes.barh(rows, medians, width, xerr=spans, color=COLOURS[peer], label=peer, error_kw={"linewidth": 0.8})
    axes.set(title="compile time: median, lowest and highest", xlabel="seconds", xscale="log")
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.legend()


def _plot_sweep(axes: Any, results: Results, label: str) -> None:
    for peer, answers in results.sweeps[label].items():
        measured = [answer["wall"] for answer in answers if "wall" in answer]
        if not measured:
            continue
        totals = [sum(measured[0][: i + 1]) for i in range(len(measured[0]))]
        axes.plot(range(1, len(totals) + 1), totals, color=COLOURS[peer], marker=".", label=peer)
        if len(totals) < results.sweep_shapes:
            end = totals[-1] * results.sweep_shapes / len(totals)
            axes.plot([len(totals), results.sweep_shapes], [totals[-1], end], ":", color=COLOURS[peer])
    axes.set(
        title=f"{label}: seconds until shape (dotted: extrapolated)",
        xlabel="shapes seen",
        ylabel="seconds",
        yscale="log",
    )
    axes.grid(alpha=0.3)
    axes.legend()


def write_files(results: Results, output: Path, console: Console) -> None:
    """Write ``benchmark.json`` and ``benchmark.png`` into the folder ``output``."""
    output.mkdir(parents=True, exist_ok=True)
    known = {"cpu_model_name", "cpu_count", "platform", "python_version", "date", "load_avg_1min", "perf_version"}
    contents = {
        "metadata": {name: value for name, value in results.metadata.items() if name in known},
        "targets": [vars(target) for target in targets(results)],
        "compilations": results.compilations,
        "verified": results.verified,
        "sweeps": results.sweeps,
    }
    (output / "benchmark.json").write_text(json.dumps(contents, indent=1, default=str) + "\n")
    heights = [1.5 + 0.6 * len(results.compilations), *[4.0] * len(results.sweeps)]
    size = (10, sum(heights))
    figure, axes = plt.subplots(len(heights), figsize=size, layout="constrained", squeeze=False, height_ratios=heights)
    _plot_compilations(axes[0][0], results)
    for row, label in enumerate(results.sweeps, start=1):
        _plot_sweep(axes[row][0], results, label)
    figure.savefig(output / "benchmark.png", dpi=120)
    plt.close(figure)
    console.print(f"written: {output / 'benchmark.json'}, {output / 'benchmark.png'}", markup=False)
