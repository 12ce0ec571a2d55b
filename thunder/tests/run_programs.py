"""Every small program against eager: forward and backward, in both orders of its inputs, verifier on.

Run as ``python thunder/tests/run_programs.py [text]``, where only programs whose kind or name holds ``text`` are run.
Ends with status 1 where a program is wrong, silent, crashes or takes more specializations than it may.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

from comparison import Crash, Silent, assert_same_as_eager, specializations
from oracle import Proof, prove_all, recorded_decisions
from programs import PROGRAMS
from programs.program import Program


@dataclass
class Verdict:
    """What became of a program.

    Args:
        kind: the program's kind.
        name: the program's name.
        outcome: "right", "wrong", "silent" (eager raises, the program does not), "crash" or "lacking" (Thunder has no
            such operator, and its error says so).
        specializations: the most of any run.
        details: of what went wrong, one text for each run.
        proof: whether the guards imply the decisions taken, for the first order of the inputs.
    """

    kind: str
    name: str
    outcome: str = "right"
    specializations: int = 0
    details: list[str] = field(default_factory=list)
    proof: Proof = field(default_factory=Proof)


def _user_lines(error: BaseException) -> bool:
    """Return whether the error's text names a line of the program's file."""
    return f"{os.sep}programs{os.sep}" in str(error) and ".py:" in str(error)


def _names_what_is_lacking(program: Program, error: Crash) -> bool:
    cause = error.__cause__
    return bool(program.lacks) and cause is not None and program.lacks in str(cause) and _user_lines(cause)


def judge(kind: str, name: str) -> Verdict:
    """Run one program in each way and return what became of it."""
    program, verdict = PROGRAMS[kind][name], Verdict(kind, name)
    for with_grad, reverse in product((False, True), (False, True)):
        torch.manual_seed(0)
        calls = program.calls[::-1] if reverse else program.calls
        way = f"{'gradient' if with_grad else 'forward'}, {'last' if reverse else 'first'} call first"
        try:
            with recorded_decisions() as decisions:
                jitted = assert_same_as_eager(program.function, calls, with_grad=with_grad)
            if not reverse:
                verdict.proof += prove_all(decisions)
            verdict.specializations = max(verdict.specializations, specializations(jitted))
            continue
        except Silent as error:
            outcome, detail = "silent", str(error)
        except Crash as error:
            lacking = _names_what_is_lacking(program, error)
            outcome = "lacking" if lacking else "crash"
            frame = traceback.extract_tb(error.__cause__.__traceback__)[-1] if error.__cause__ else None
            place = "" if frame is None else f" [{os.path.basename(frame.filename)}:{frame.lineno}]"
            detail = f"{error}{place}"
        except AssertionError as error:
            outcome, detail = "wrong", str(error)
        verdict.details.append(f"{way}: {outcome}: {detail}")
        if _SEVERITY.index(outcome) > _SEVERITY.index(verdict.outcome):
            verdict.outcome = outcome
    if verdict.proof.refuted:
        verdict.outcome = "wrong"
        verdict.details += verdict.proof.refuted
    if verdict.outcome == "right" and program.lacks:
        verdict.outcome = "wrong"
        verdict.details.append(f"{program.lacks} is listed as lacking, but the program runs")
    return verdict


_WIDTH = 400  # of what is shown of an error
_SEVERITY = ("right", "lacking", "crash", "silent", "wrong")


def _prepare() -> None:
    os.environ["THUNDER_VERIFY"] = "1"
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)


def _report(verdicts: list[Verdict], console: Console) -> bool:
    """Print what was found; return whether all is well."""
    table = Table(title="small programs against eager, forward and backward, in both orders of their inputs")
    columns = ("programs", "right", "wrong", "silent", "crashes", "lacking", "specializations", "beyond the allowance")
    table.add_column("kind")
    for column in columns:
        table.add_column(column, justify="right")
    totals: Counter[str] = Counter()
    for kind in PROGRAMS:
        counts: Counter[str] = Counter()
        for verdict in (v for v in verdicts if v.kind == kind):
            program = PROGRAMS[kind][verdict.name]
            beyond = verdict.specializations > program.allowed
            counts["programs"] += 1
            counts["crashes" if verdict.outcome == "crash" else verdict.outcome] += 1
            counts["specializations"] += verdict.specializations
            counts["beyond the allowance"] += beyond
            if beyond:
                text = f"{verdict.specializations} specializations, {program.allowed} allowed"
                verdict.details.append(f"{text} ({program.why})" if program.why else text)
        if counts:
            table.add_row(kind, *(str(counts[column]) for column in columns))
        totals += counts
    table.add_section()
    table.add_row("all", *(str(totals[column]) for column in columns))
    for verdict in verdicts:
        for detail in verdict.details[:1] if verdict.outcome != "lacking" else ():
            shown = f"{verdict.kind} / {verdict.name}: {' '.join(detail.split())}"
            console.print(shown[:_WIDTH], markup=False, highlight=False, soft_wrap=True)
    console.print(table)
    for verdict in verdicts:
        if verdict.outcome == "lacking":
            lacks = PROGRAMS[verdict.kind][verdict.name].lacks
            console.print(f"lacking in Thunder: {lacks} ({verdict.name})", markup=False)
    console.print(sum((verdict.proof for verdict in verdicts), Proof()).summary(), markup=False, soft_wrap=True)
    return not any(totals[column] for column in ("wrong", "silent", "crashes", "beyond the allowance"))


def main() -> int:
    """Run the programs, print the table and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", default="", help="run only programs whose kind or name holds this text")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes to run them in")
    options = parser.parse_args()
    chosen = [
        (kind, name) for kind, programs in PROGRAMS.items() for name in programs if options.text in f"{kind} / {name}"
    ]
    if not chosen:
        parser.error(f"no program's kind or name holds {options.text!r}")
    console = Console(width=None if sys.stdout.isatty() else 140)
    with ProcessPoolExecutor(options.workers, initializer=_prepare) as pool:
        running = pool.map(judge, *zip(*chosen), chunksize=4)
        verdicts = list(track(running, "programs", len(chosen), console=console, disable=not sys.stdout.isatty()))
    return 0 if _report(verdicts, console) else 1


if __name__ == "__main__":
    sys.exit(main())
