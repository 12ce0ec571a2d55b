"""Random programs over symbolic dims against eager, forward and backward, in a random order of calls, verifier on.

Run as ``python thunder/tests/run_fuzz.py [--programs N] [--seed N]``. Prints each kind of difference once, with the
program that shows it; ends with status 1 where there is one.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

import torch
from hypothesis import HealthCheck, Phase, given, seed, settings
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from comparison import assert_same_as_eager, specializations
from fuzz_programs import FuzzedProgram
from fuzz_statements import programs
from oracle import Proof, prove_all, recorded_decisions

_BATCH = 50


@dataclass
class Findings:
    """What came of some programs.

    Args:
        programs: how many were run.
        comparisons: calls that were compared with eager, forward or with gradients.
        raising: of those, calls for which both raised.
        specializations: of all jitted callables together.
        jitted: how many callables those were.
        proof: decisions and guards, and whether z3 was asked.
        differences: a program and what was different, by the kind of difference.
    """

    programs: int = 0
    comparisons: int = 0
    raising: int = 0
    specializations: int = 0
    jitted: int = 0
    proof: Proof = field(default_factory=Proof)
    differences: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def add(self, other: Findings) -> None:
        for name in ("programs", "comparisons", "raising", "specializations", "jitted", "proof", "count"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.differences = {**other.differences, **self.differences}


def _eager_raises(program: FuzzedProgram) -> int:
    raising = 0
    for arguments in program.arguments():
        try:
            program.function()(*arguments)
        except Exception:
            raising += 1
    return raising


def check(program: FuzzedProgram, number: int, prove: bool = False) -> Findings:
    """Run one program, forward and backward, on its calls in a random order; the proof asks z3 where ``prove``."""
    findings = Findings(programs=1)
    torch.manual_seed(number)
    for with_grad in (False, True):
        calls = program.arguments()
        random.Random(number).shuffle(calls)
        try:
            with recorded_decisions() as decisions:
                jitted = assert_same_as_eager(program.function(), calls, with_grad=with_grad)
            findings.specializations += specializations(jitted)
            findings.jitted += 1
            findings.comparisons += len(calls)
            if prove:
                findings.proof += prove_all(decisions)
                for refuted in findings.proof.refuted:
                    raise AssertionError(f"a guard is missing: {refuted}")
            else:
                held = sum(len(set(taken)) for taken in decisions.values())
                findings.proof += Proof(held, sum(len(recorder.facts.conjuncts) for recorder in decisions))
        except AssertionError as error:
            way = "with gradients" if with_grad else "forward"
            findings.count += 1
            text = f"{type(error).__name__}: {' '.join(str(error).split())}"
            # Numbers and names in an error's text do not make a kind
            kind = re.sub(r"\d+(\.\d+)?(e-?\d+)?|\bt\d+", "#", text)[:110]
            findings.differences.setdefault(kind, f"{way}: {text[:600]}\n{program}")
    findings.raising = 2 * _eager_raises(program)
    return findings


def _run_batch(number: int, count: int, prove: bool) -> Findings:
    findings = Findings()

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def run(program: FuzzedProgram) -> None:
        if findings.programs < count:
            findings.add(check(program, number + findings.programs, prove))

    run()
    return findings


def _prepare() -> None:
    os.environ["THUNDER_VERIFY"] = "1"
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)


def _batches(total: int) -> Iterator[int]:
    while total > 0:
        yield min(_BATCH, total)
        total -= _BATCH


def main() -> int:
    """Run the programs, print what was found and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=10_000, help="how many programs to write (10000)")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first batch (0)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes to run them in")
    parser.add_argument("--prove", action="store_true", help="ask z3 whether the guards imply every decision")
    options = parser.parse_args()
    if options.programs < 1:
        parser.error("--programs takes a positive number")
    console, total = Console(), Findings()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        ProcessPoolExecutor(options.workers, initializer=_prepare) as pool,
        Progress(*columns, console=console) as progress,
    ):
        task = progress.add_task("programs", total=options.programs)
        batches = [
            pool.submit(_run_batch, options.seed + 1000 * number, count, options.prove)
            for number, count in enumerate(_batches(options.programs))
        ]
        for batch in as_completed(batches):
            found = batch.result()
            for kind, shown in found.differences.items():
                if kind not in total.differences:
                    progress.console.print(shown, markup=False, highlight=False, soft_wrap=True)
            total.add(found)
            progress.advance(task, found.programs)
    _report(total, options.seed, console)
    return 1 if total.count else 0


def _report(total: Findings, first_seed: int, console: Console) -> None:
    jitted = max(total.jitted, 1)
    lines = (
        f"seed {first_seed}: {total.programs} programs, {total.comparisons} comparisons ({total.raising} calls raise)",
        f"{total.specializations / jitted:.2f} specializations a program",
        f"{total.proof.decisions} decisions recorded, {total.proof.decisions - total.proof.guards} simplified away, "
        f"{total.proof.guards} guards checked",
        *([total.proof.summary()] if total.proof.proven else []),
        f"{total.count} differences of {len(total.differences)} kinds",
    )
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
