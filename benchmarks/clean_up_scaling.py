"""How the time of the clean-up pass grows with the trace: the exponent of a log-log fit.

Run as ``python benchmarks/clean_up_scaling.py``; ends with status 1 where the growth is not linear.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "thunder" / "tests"))

import thunder  # noqa: F401
from thunder.core.transforms.clean_up import clean_up
from thunder.core.transforms.dead_code import eliminate_dead_code
from thunder.symbolic import count_bound_symbols, verify_trace

from synthetic import chain, symbolic_context

SIZES = (100, 300, 1_000, 3_000, 10_000)
ALLOWED_EXPONENT = 1.15


def measure(size: int, repeats: int) -> tuple[int, int, float, float]:
    """Return the bound symbols before and after, and the spread-free median seconds of pass and verifier."""
    with symbolic_context():
        passes, verifications = [], []
        for _ in range(repeats):
            trace = chain(size)
            before = count_bound_symbols(trace)
            gc.collect()
            gc.disable()
            start = time.perf_counter()
            cleaned = eliminate_dead_code(clean_up(trace))
            passes.append(time.perf_counter() - start)
            start = time.perf_counter()
            verify_trace(cleaned)
            verifications.append(time.perf_counter() - start)
            gc.enable()
        return before, count_bound_symbols(cleaned), statistics.median(passes), statistics.median(verifications)


def main() -> int:
    """Print the table and the exponent; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each size (default: 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error("--repeats takes a number from 1 on")
    torch.set_num_threads(1)
    measure(SIZES[0], 1)
    rows = [measure(size, options.repeats) for size in SIZES]
    table = Table(title=f"clean-up of synthetic traces, medians of {options.repeats}")
    for title in ("bound symbols", "after", "clean-up ms", "µs each", "verifier ms"):
        table.add_column(title, justify="right")
    for before, after, seconds, verified in rows:
        each = f"{seconds / before * 1e6:.1f}"
        table.add_row(str(before), str(after), f"{seconds * 1e3:.1f}", each, f"{verified * 1e3:.1f}")
    counts, seconds_of = [row[0] for row in rows], [row[2] for row in rows]
    exponent = float(np.polyfit(np.log(counts), np.log(seconds_of), 1)[0])
    Console().print(table, f"exponent of the log-log fit: {exponent:.3f} (linear is 1; allowed: {ALLOWED_EXPONENT})")
    if options.json:
        options.json.write_text(json.dumps({"rows": rows, "exponent": exponent}, indent=2) + "\n")
    return 0 if exponent <= ALLOWED_EXPONENT else 1


if __name__ == "__main__":
    sys.exit(main())
