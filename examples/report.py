"""The demo's results: a table on the console and three files."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from rich.console import Console
from rich.table import Table

from measure import REPEATS, Shape

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@dataclass(frozen=True)
class Summary:
    """What one run of the demo found."""

    steps: int
    seed: int
    shapes: list[Shape]
    losses_symbolic: list[float]
    losses_eager: list[float]
    rtol: float
    specializations: int
    cache_misses: int
    expected_specializations: int
    symbolic_compile_seconds: float
    constant_compile_seconds: dict[Shape, float]
    constant_compile_seconds_extrapolated: float
    bound_symbols_recorded: int
    bound_symbols_cleaned: int
    unpacks_recorded: int
    unpacks_cleaned: int
    step_seconds: dict[str, dict[Shape, float]]

    @property
    def largest_loss_difference(self) -> float:
        """The largest relative difference between a loss and its eager counterpart."""
        pairs = zip(self.losses_symbolic, self.losses_eager, strict=True)
        return max(abs(symbolic - eager) / abs(eager) for symbolic, eager in pairs)


def label(shape: Shape) -> str:
    """Return a shape as batch size times length."""
    return f"{shape[0]}x{shape[1]}"


def _span(values: list[int]) -> str:
    return f"{min(values)} to {max(values)}"


def summary_table(summary: Summary) -> Table:
    """Return the table that ends the demo."""
    table = Table(title=f"{summary.steps} training steps, seed {summary.seed}", title_justify="left", show_lines=False)
    table.add_column("")
    table.add_column("", justify="right")
    table.add_column("")
    shapes, measured = summary.shapes, summary.constant_compile_seconds
    sizes, lengths = ([shape[axis] for shape in shapes] for axis in (0, 1))
    table.add_row("shapes seen", str(len(shapes)), f"batch {_span(sizes)}, length {_span(lengths)}")
    table.add_row(
        "loss, first and last step",
        f"{summary.losses_symbolic[0]:.3f}, {summary.losses_symbolic[-1]:.3f}",
        f"differs from eager by at most {summary.largest_loss_difference:.1e} (allowed: {summary.rtol:.0e})",
    )
    table.add_row(
        "specializations",
        str(summary.specializations),
        f"expected {summary.expected_specializations}; cache misses {summary.cache_misses}",
    )
    table.add_section()
    table.add_row(
        "compile, symbolic values",
        f"{summary.symbolic_compile_seconds:.1f} s",
        "measured: first call less a later call of the same shape",
    )
    for shape, seconds in measured.items():
        table.add_row("compile, constant values", f"{seconds:.1f} s", f"measured in the same way on {label(shape)}")
    table.add_row(
        "compile, constant values",
        f"{summary.constant_compile_seconds_extrapolated:.0f} s",
        f"extrapolated: mean of the above for each of {len(shapes)} shapes",
    )
    table.add_section()
    table.add_row(
        "bound symbols",
        f"{summary.bound_symbols_recorded} -> {summary.bound_symbols_cleaned}",
        "as recorded -> after the clean-up, all depths",
    )
    table.add_row(
        "unpacks", f"{summary.unpacks_recorded} -> {summary.unpacks_cleaned}", "as recorded -> after the clean-up"
    )
    return table


_SERIES = {
    "symbolic": ("symbolic values", "o", "tab:blue", 5),
    "constant": ("constant values (measured on these shapes only)", "D", "tab:orange", 11),
    "eager": ("eager", "x", "tab:gray", 5),
}


def plot_step_seconds(step_seconds: dict[str, dict[Shape, float]], path: Path) -> None:
    """Write a plot of the median step time against the number of tokens in a batch."""
    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    for name, seconds in step_seconds.items():
        text, marker, colour, size = _SERIES[name]
        tokens = [batch * length for batch, length in seconds]
        times = [1e3 * value for value in seconds.values()]
        axes.plot(
            tokens, times, marker, color=colour, markersize=size, fillstyle="none", label=text, markeredgewidth=1.5
        )
    axes.set(
        title=f"One training step by shape: forward and backward, median of {REPEATS}",
        xlabel="tokens in the batch (batch size x length)",
        ylabel="milliseconds",
        xlim=(0, None),
        ylim=(0, None),
    )
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _by_label(seconds: dict[Shape, float]) -> dict[str, float]:
    return {label(shape): value for shape, value in seconds.items()}


def write_files(summary: Summary, cleaned_trace: Any, output: Path) -> None:
    """Write the cleaned trace, the plot and the summary into the folder `output`."""
    output.mkdir(parents=True, exist_ok=True)
    (output / "cleaned_trace.py").write_text(f"{cleaned_trace}\n")
    plot_step_seconds(summary.step_seconds, output / "step_time.png")
    fields = dataclasses.asdict(summary) | {
        "largest_loss_difference": summary.largest_loss_difference,
        "constant_compile_seconds": _by_label(summary.constant_compile_seconds),
        "step_seconds": {name: _by_label(seconds) for name, seconds in summary.step_seconds.items()},
    }
    (output / "summary.json").write_text(json.dumps(fields, indent=2) + "\n")


def print_report(console: Console, summary: Summary, output: Path) -> None:
    """Print the table and where the files are."""
    console.print(summary_table(summary))
    console.print(
        f"written: {', '.join(str(output / name) for name in ('cleaned_trace.py', 'step_time.png', 'summary.json'))}"
    )
