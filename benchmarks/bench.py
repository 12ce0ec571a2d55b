"""Compile times and sweeps over shapes: this project beside its peers, all in one run.

Run as ``python benchmarks/bench.py`` (``make bench``; ``make bench-quick`` for a part of it). Each peer has a process
of its own, pinned to one thread, and they take turns: one compilation at a time, each of a program made afresh.
The peers are symbolic values, constant values, upstream's constant values (lightning-thunder 0.2.6 with nothing patched
but its import beside a newer torch), ``torch.compile(dynamic=True)`` and eager. Ends with status 1 where a peer's
outputs differ from eager's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyperf
from rich.console import Console

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples"))

from bench_report import Results, print_results, write_files
from peer import PEERS
from workloads import WORKLOADS

ENVIRONMENTS = {"upstream": {"THUNDER_SYMBOLIC": "compat"}}
SWEEP_SHAPES = 30
CONSTANT_SHAPES = 6
RTOL = 1e-3
QUICK = ("10 ops", "mlp", "gpt 4")
COMPILING = tuple(peer for peer in PEERS if peer != "eager")


class WrongOutput(Exception):
    """A peer computes something else than eager."""


@dataclass
class Peer:
    """A peer's process."""

    name: str
    process: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        paths = os.pathsep.join([str(HERE), str(HERE.parent / "examples")])
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "TORCHINDUCTOR_COMPILE_THREADS": "1",
            "THUNDER_SYMBOLIC": "on",
            "PYTHONPATH": paths,
            **ENVIRONMENTS.get(self.name, {}),
        }
        command = [sys.executable, "-W", "ignore", str(HERE / "peer.py"), self.name]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self._answer()

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and return the answer."""
        assert self.process.stdin is not None
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process of {self.name} ended with status {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def _modes(workload: str) -> Iterator[bool]:
    yield False
    if WORKLOADS[workload].trains:
        yield True


def _check(what: str, value: float, expected: float) -> None:
    if not abs(value - expected) <= RTOL * max(1.0, abs(expected)):
        raise WrongOutput(f"{what} sums up to {value}, in eager to {expected}")


def measure_one_shape(peers: dict[str, Peer], results: Results, options: argparse.Namespace, console: Console) -> None:
    """Compile every workload with every peer, ``options.repeats`` times in turns."""
    for workload in options.workloads:
        for training in _modes(workload):
            spent = dict.fromkeys(COMPILING, 0.0)
            expected = peers["eager"].ask(action="one_shape", name=workload, training=training, verify=False)
            for repeat in range(options.repeats):
                for peer in COMPILING:
                    if spent[peer] > options.limit:
                        continue
                    answer = peers[peer].ask(action="one_shape", name=workload, training=training, verify=False)
                    results.add_compilation(workload, training, peer, answer)
                    spent[peer] += answer.get("wall", options.limit + 1)
                    if "value" in answer:
                        _check(f"{workload} by {peer}", answer["value"], expected["value"])
                console.log(f"{results.label(workload, training)}: repeat {repeat + 1} of {options.repeats}")
            verified = peers["symbolic"].ask(action="one_shape", name=workload, training=training, verify=True)
            results.add_verification(workload, training, verified)


def measure_sweep(peers: dict[str, Peer], results: Results, options: argparse.Namespace, console: Console) -> None:
    """Call the sweep's workload with every peer and shape; with constant values only the first few shapes."""
    for training in _modes(options.sweep):
        expected = peers["eager"].ask(action="sweep", name=options.sweep, training=training, shapes=SWEEP_SHAPES)
        for repeat in range(options.sweep_repeats):
            for peer in PEERS:
                shapes = CONSTANT_SHAPES if peer in ("constant", "upstream") else SWEEP_SHAPES
                answer = peers[peer].ask(action="sweep", name=options.sweep, training=training, shapes=shapes)
                results.add_sweep(options.sweep, training, peer, answer)
                for value, reference in zip(answer.get("values", ()), expected["values"]):
                    _check(f"{options.sweep} by {peer}", value, reference)
            console.log(f"{results.label(options.sweep, training)}: sweep {repeat + 1} of {options.sweep_repeats}")


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0] if __doc__ else None,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--workloads", nargs="+", choices=WORKLOADS, default=list(WORKLOADS), help="what to compile")
    parser.add_argument("--repeats", type=int, default=3, help="compilations of each workload by each peer")
    parser.add_argument("--sweep", choices=WORKLOADS, default="gpt 4", help="the workload of the sweep over shapes")
    parser.add_argument("--sweep-repeats", type=int, default=1, help="sweeps by each peer")
    parser.add_argument(
        "--limit", type=float, default=90.0, help="seconds of a peer on a workload that end its repeats"
    )
    parser.add_argument("--quick", action="store_true", help=f"{', '.join(QUICK)}, once each; writes to build")
    parser.add_argument("--output", type=Path, help="folder for benchmark.json and benchmark.png")
    options = parser.parse_args(arguments)
    if options.repeats < 1 or options.sweep_repeats < 0:
        parser.error("--repeats takes a number from 1 on, --sweep-repeats one from 0 on")
    if options.quick:
        options.workloads, options.repeats = list(QUICK), 1
    if options.output is None:
        options.output = HERE.parent / ("build" if options.quick else "docs")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the results; return the exit status."""
    options = parse_options(sys.argv[1:] if arguments is None else arguments)
    console = Console(width=140)
    results = Results(pyperf.Run([1.0], collect_metadata=True).get_metadata(), SWEEP_SHAPES, CONSTANT_SHAPES)
    peers = {name: Peer(name) for name in PEERS}
    try:
        measure_one_shape(peers, results, options, console)
        measure_sweep(peers, results, options, console)
    except WrongOutput as error:
        console.print(f"[bold red]failed:[/] {error}")
        return 1
    finally:
        for peer in peers.values():
            peer.close()
    print_results(results, console)
    write_files(results, options.output, console)
    return 0


if __name__ == "__main__":
    sys.exit(main())
