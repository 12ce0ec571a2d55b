"""Train a small GPT on batches of many shapes with one compilation, step by step against eager PyTorch.

Run `python examples/train.py`; `--help` lists the options. The exit status is 1 where a step's loss or gradient
differs from eager, or where more specializations were compiled than the shapes call for.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import thunder
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from thunder.symbolic import count_bound_symbols, count_unpacks, recorded_trace
from torch import nn

from gpt import GPT, GPTConfig
from measure import gradient_norm, jit, measure_constant_values, median_step_seconds, run_step, specializations
from report import Summary, label, print_report, write_files
from text import TEXT, Batch, expected_specializations, make_batches, shapes_of

RTOL = 1e-4
LEARNING_RATE = 3e-3


class DemoFailure(Exception):
    """The compiled model does not do what the demo claims."""


@dataclass(frozen=True)
class Options:
    """How to run the demo."""

    steps: int = 48
    seed: int = 0
    output: Path = Path("demo")
    config: GPTConfig = field(default_factory=GPTConfig)


@dataclass(frozen=True)
class Training:
    """What training left: the losses of both models, and the seconds of the compiled model's first call."""

    losses_symbolic: list[float]
    losses_eager: list[float]
    first_seconds: float


def check_equal(what: str, step: int, batch: Batch, symbolic: float, eager: float) -> None:
    """Raise `DemoFailure` where a step's result differs from its eager counterpart, or is not a number."""
    if not abs(symbolic - eager) <= RTOL * abs(eager):
        raise DemoFailure(
            f"step {step}, shape {label(batch.shape)}: the {what} is {symbolic:.6f} with symbolic values and "
            f"{eager:.6f} in eager mode, which differ by more than a relative {RTOL:.0e}"
        )


def train(compiled: nn.Module, eager: nn.Module, batches: Sequence[Batch], console: Console) -> Training:
    """Train both models on the same batches and compare their losses and gradients at each step.

    AdamW takes the same step for a gradient that is wrong by a factor, so the losses alone would not show it.
    """
    models = (compiled, eager)
    optimizers = [torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE) for model in models]
    losses: tuple[list[float], list[float]] = ([], [])
    first_seconds = 0.0
    columns = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("loss {task.fields[loss]:.3f}  shape {task.fields[shape]}  specializations {task.fields[compiled]}"),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("", total=len(batches), loss=float("nan"), shape=label(batches[0].shape), compiled=0)
        for step, batch in enumerate(batches, start=1):
            for model, optimizer, seen in zip(models, optimizers, losses, strict=True):
                loss, seconds = run_step(model, batch)
                optimizer.step()
                seen.append(loss)
                if step == 1 and model is compiled:
                    first_seconds = seconds
            check_equal("loss", step, batch, losses[0][-1], losses[1][-1])
            check_equal("gradient's norm", step, batch, gradient_norm(compiled), gradient_norm(eager))
            count = specializations(compiled)
            progress.update(bar, advance=1, loss=losses[0][-1], shape=label(batch.shape), compiled=count)
    return Training(*losses, first_seconds)


def run(options: Options, console: Console) -> Summary:
    """Train, measure, print the table and write the files; raise `DemoFailure` where a step differs from eager."""
    torch.manual_seed(options.seed)
    batches = make_batches(TEXT.read_bytes(), options.steps, options.seed, options.config.context)
    shapes = shapes_of(batches)
    model = GPT(options.config)
    eager = copy.deepcopy(model)
    compiled = jit(model, cache="symbolic values")
    training = train(compiled, eager, batches, console)

    first_of_shape = {batch.shape: batch for batch in reversed(batches)}
    by_shape = [first_of_shape[shape] for shape in shapes]
    with console.status(f"timing {len(shapes)} shapes with symbolic values and in eager mode"):
        step_seconds = median_step_seconds({"symbolic": compiled, "eager": eager}, by_shape)
    extremes = [first_of_shape[shape] for shape in sorted({shapes[0], shapes[-1]})]
    with console.status(f"compiling {len(extremes)} of {len(shapes)} shapes with constant values"):
        constant = measure_constant_values(eager, extremes)

    recorded, cleaned = recorded_trace(compiled), thunder.last_traces(compiled)[0]
    summary = Summary(
        steps=options.steps,
        seed=options.seed,
        shapes=shapes,
        losses_symbolic=training.losses_symbolic,
        losses_eager=training.losses_eager,
        rtol=RTOL,
        specializations=specializations(compiled),
        cache_misses=thunder.cache_misses(compiled),
        expected_specializations=expected_specializations(batches),
        symbolic_compile_seconds=training.first_seconds - step_seconds["symbolic"][batches[0].shape],
        constant_compile_seconds=constant.compile_seconds,
        constant_compile_seconds_extrapolated=constant.extrapolated_compile_seconds(len(shapes)),
        bound_symbols_recorded=count_bound_symbols(recorded),
        bound_symbols_cleaned=count_bound_symbols(cleaned),
        unpacks_recorded=count_unpacks(recorded),
        unpacks_cleaned=count_unpacks(cleaned),
        step_seconds=step_seconds | {"constant": constant.step_seconds},
    )
    write_files(summary, cleaned, options.output)
    print_report(console, summary, options.output)
    return summary


def check_specializations(summary: Summary) -> None:
    """Raise `DemoFailure` where more was compiled than the shapes call for."""
    compiled = max(summary.specializations, summary.cache_misses)
    if compiled > summary.expected_specializations:
        raise DemoFailure(
            f"{summary.specializations} specializations and {summary.cache_misses} cache misses for "
            f"{len(summary.shapes)} shapes; expected {summary.expected_specializations}"
        )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(text)


def _folder(text: str) -> Path:
    path = Path(text)
    if path.exists() and not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a file, not a folder")
    return path


def parse_options(arguments: Sequence[str]) -> Options:
    """Return the options that the command line gives."""
    defaults = Options()
    parser = argparse.ArgumentParser(
        description="Train a small GPT on batches of many shapes with thunder.jit(model, cache='symbolic values').",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--steps", type=_positive, default=defaults.steps, help="training steps, one batch each")
    parser.add_argument("--seed", type=int, default=defaults.seed, help="seed of the weights and of the batches")
    parser.add_argument(
        "--output", type=_folder, default=defaults.output, help="folder for the trace, plot and summary"
    )
    given = parser.parse_args(arguments)
    return Options(given.steps, given.seed, given.output)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo and return its exit status."""
    options = parse_options(sys.argv[1:] if arguments is None else arguments)
    torch.set_num_threads(1)
    console = Console()
    try:
        check_specializations(run(options, console))
    except DemoFailure as failure:
        console.print(f"[bold red]failed:[/] {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
