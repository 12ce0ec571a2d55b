"""The process of one peer: compiles what it is asked for, afresh, and answers with what that took.

Run by ``bench.py``; each line of its input is a request in JSON, each line of its output the answer.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

PEERS = ("symbolic", "constant", "upstream", "torch.compile", "eager")
LATER_CALLS = 3


@dataclass(frozen=True)
class Spent:
    """Seconds by the clock, and of this process and its children on the processor."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Spent:
        """Return the clocks."""
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return cls(time.perf_counter(), time.process_time() + children.ru_utime + children.ru_stime)

    def since(self) -> Spent:
        """Return what was spent since these clocks."""
        now = Spent.now()
        return Spent(now.wall - self.wall, now.cpu - self.cpu)


def compiled(peer: str, program: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``program`` as ``peer`` runs it."""
    import torch

    if peer == "eager":
        return program
    if peer == "torch.compile":
        torch._dynamo.reset()
        return torch.compile(program, dynamic=True)
    import thunder

    return thunder.jit(program, cache="symbolic values" if peer == "symbolic" else "constant values")


def step(function: Callable[..., Any], inputs: tuple[Any, ...], training: bool) -> tuple[Spent, float]:
    """Call once, with a backward pass where ``training``; return what it took and the sum of the output."""
    start = Spent.now()
    output = function(*inputs).sum()
    if training:
        output.backward()
    return start.since(), output.item()


def fresh_cache(peer: str) -> AbstractContextManager[Any]:
    """Return the context in which ``peer`` finds nothing that it has compiled before."""
    if peer != "torch.compile":
        return nullcontext()
    from torch._inductor.utils import fresh_cache as fresh_inductor_cache

    context: AbstractContextManager[Any] = fresh_inductor_cache()
    return context


def trace_digest(function: Callable[..., Any]) -> str:
    """Return a digest of all traces of the last compilation, less addresses and times."""
    import thunder

    traces = [*thunder.last_prologue_traces(function), *thunder.last_traces(function)]
    traces += thunder.last_backward_traces(function)
    text = re.sub(r"took \d+ milli|0x[0-9a-f]+", "", "\n".join(map(str, traces)))
    return hashlib.sha256(text.encode()).hexdigest()


def one_shape(peer: str, name: str, training: bool, verify: bool) -> dict[str, Any]:
    """Compile for the first shape; return the seconds of the first call less those of a later one."""
    from workloads import WORKLOADS, built

    os.environ["THUNDER_VERIFY"] = "1" if verify else "0"
    workload = WORKLOADS[name]
    function = compiled(peer, built(name, training))
    inputs = workload.inputs(workload.shapes[0])
    first, value = step(function, inputs, training)
    later = [step(function, inputs, training)[0] for _ in range(LATER_CALLS)]
    answer: dict[str, Any] = {
        "value": value,
        "step": statistics.median(spent.wall for spent in later),
        "wall": first.wall - statistics.median(spent.wall for spent in later),
        "cpu": first.cpu - statistics.median(spent.cpu for spent in later),
    }
    if peer in ("symbolic", "constant", "upstream"):
        import thunder

        statistics_of = thunder.compile_stats(function).__dict__
        answer["traces"] = trace_digest(function)
        answer["clean_up"] = statistics_of.get("clean_up_seconds", 0.0)
        answer["verifier"] = statistics_of.get("verification_seconds", 0.0)
    return answer


def sweep(peer: str, name: str, training: bool, shapes: int) -> dict[str, Any]:
    """Call once with each of the first ``shapes`` shapes; return the seconds and the output's sum of each call."""
    from workloads import WORKLOADS, built

    workload = WORKLOADS[name]
    function = compiled(peer, built(name, training))
    calls = [step(function, workload.inputs(shape), training) for shape in workload.shapes[:shapes]]
    return {
        "wall": [spent.wall for spent, _ in calls],
        "cpu": [spent.cpu for spent, _ in calls],
        "values": [value for _, value in calls],
    }


def main() -> None:
    """Answer requests until the input ends."""
    peer = sys.argv[1]
    answers, sys.stdout = sys.stdout, sys.stderr
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    actions: dict[str, Callable[..., dict[str, Any]]] = {"one_shape": one_shape, "sweep": sweep}
    one_shape(peer, "1 ops", False, False)
    print(json.dumps({"ready": peer}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            with fresh_cache(peer):
                answer = actions[request.pop("action")](peer, **request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
