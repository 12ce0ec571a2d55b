"""Every case of the tests: right against eager or not, and its specializations beside the allowed number.

Run as ``python benchmarks/specializations.py``; ends with status 1 where an answer is wrong.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "thunder" / "tests"))
warnings.simplefilter("ignore")

from cases import CASES, MODULES
from comparison import assert_same_as_eager, specializations


def main() -> int:
    """Print the table; return the exit status."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    table = Table(title="forward and gradient against eager, on every shape of each case")
    for title in ("case", "shapes", "equals eager", "specializations", "allowed"):
        table.add_column(title, justify="left" if title == "case" else "right")
    wrong = 0
    for name, (function, calls, allowed) in {**CASES, **MODULES}.items():
        try:
            counts = [
                specializations(assert_same_as_eager(function, calls, with_grad=with_grad))
                for with_grad in (False, True)
            ]
            shown = str(max(counts)) if max(counts) <= allowed else f"[bold]{max(counts)}[/bold]"
            table.add_row(name, str(len(calls)), "yes", shown, str(allowed))
        except Exception as error:
            wrong += 1
            table.add_row(name, str(len(calls)), f"NO: {type(error).__name__}", "", str(allowed))
    Console().print(table)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
