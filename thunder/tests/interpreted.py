"""Programs whose traces show how they were interpreted; run as a script, it prints what each compiles to."""

from __future__ import annotations

import collections
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import thunder
import torch
from torch import Tensor, nn

from gpt import GPT, GPTConfig

SCALES = {"a": 2.0, "b": 3, 7: [4.0, 5.0]}
BY_TUPLE = {("b", 1): 3.0}
ORDERED = collections.OrderedDict(first=1.5, second=(2, 3))


class Doubling(dict):  # type: ignore[type-arg]
    """A dict that overrides its subscript."""

    def __getitem__(self, key: Any) -> Any:
        return 2 * super().__getitem__(key)


class Pair(NamedTuple):
    """Two tensors with names."""

    left: Tensor
    right: Tensor


class Picking(nn.Module):
    """Reads parameters, buffers and submodules through lists and dicts, and updates a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
        self.named = nn.ModuleDict({"norm": nn.LayerNorm(4)})
        self.register_buffer("count", torch.zeros(()))
        self.options = {"scale": 2.0, "shift": [1, 2]}

    def forward(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        x = self.named["norm"](x) + self.parts[-1].bias
        self.count = self.count + 1
        return x * self.options["scale"] + self.options["shift"][-1]


def global_containers(x: Tensor) -> Tensor:
    return x * SCALES["a"] + SCALES["b"] - SCALES[7][-1] + ORDERED["second"][0] * ORDERED["first"]


def tuple_key(x: Tensor) -> Tensor:
    return x * BY_TUPLE["b", 1]


def overridden(x: Tensor) -> Tensor:
    return x + Doubling(k=3)["k"]


def dict_argument(batch: dict[str, Any]) -> Tensor:
    first, *rest = batch["list"]
    return first + rest[0] * batch["pair"].right + batch["pair"][0] + batch["number"]


def exceptions(x: Tensor) -> Tensor:
    try:
        return x + SCALES["missing"]
    except KeyError:
        x = x + 1
    try:
        return x + SCALES[7][2]
    except IndexError as error:
        x = x + len(str(error))
    try:
        return x + undefined_name  # type: ignore[name-defined]
    except NameError:
        return x + 3


def slices(x: Tensor) -> Tensor:
    shape = list(x.shape)
    shape[:1] = [shape[0]]
    return x.reshape(tuple(shape)[::-1]) + sum(shape[1:]) + shape[-1]


def truth_and_length(x: Tensor, flags: list[int], nothing: Any = None) -> Tensor:
    if flags and not nothing and len(flags) == 2 and bool("text") and any(flags):
        x = x + 1
    return x + 1 if (flags[0] or nothing) in (1, 2) and "a" in SCALES and 9 not in flags else x - 1


def generators(x: Tensor) -> Tensor:
    def numbers() -> Iterator[int]:
        yield from range(3)

    total = sum(n * n for n in numbers())
    return x + total + max(numbers()) + min([n for n in numbers() if n])


def attributes(x: Tensor) -> Tensor:
    return x + getattr(nn.Linear, "missing", 1) + (2 if hasattr(x, "shape") else 3) + x.ndim


def changed_while_tracing(x: Tensor) -> Tensor:
    table: dict[Any, Any] = {}
    for index, key in enumerate(("a", "b")):
        table[key] = index
        table.setdefault(index, key)
    table.update(c=3, d=4)
    rows = [table["c"]]
    rows.append(table.pop("d"))
    rows += [5]
    return x * rows[1] + rows[-1] + len(table)


def _closure(scale: list[float]) -> Callable[[Tensor], Tensor]:
    return lambda x: x * scale[0] + scale[1]


def _programs() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    x = torch.ones(2, 4, requires_grad=True)
    tokens = torch.zeros(2, 5, dtype=torch.long)
    batch = {"list": [x, x + 1], "pair": Pair(x, x * 2), "number": 3}
    functions = (
        global_containers,
        tuple_key,
        overridden,
        exceptions,
        slices,
        generators,
        attributes,
        changed_while_tracing,
    )
    return {function.__name__: (function, (x,)) for function in functions} | {
        "dict_argument": (dict_argument, (batch,)),
        "truth_and_length": (truth_and_length, (x, [1, 0])),
        "closure": (_closure([2.0, 3.0]), (x,)),
        "module": (Picking(), (x,)),
        "gpt": (GPT(GPTConfig(layers=1)), (tokens, tokens)),
    }


def _steady(text: str) -> str:
    return re.sub(r"took \d+ milli|0x[0-9a-f]+", "", text)


def compiled_text(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """Return all traces of ``function`` with constant values, and its output, less what differs from run to run.

    Where upstream does not support the program, its error is returned.
    """
    jitted = thunder.jit(function)
    try:
        output = jitted(*args)
        output.sum().backward()
    except Exception as error:
        return _steady(f"{type(error).__name__}: {str(error).splitlines()[0]}")
    traces = [
        *thunder.last_prologue_traces(jitted),
        *thunder.last_traces(jitted),
        *thunder.last_backward_traces(jitted),
        *(thunder.compile_stats(jitted).last_epilogue_traces or ()),
    ]
    return _steady("\n".join(map(str, (*traces, output))))


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    print(json.dumps({name: compiled_text(*program) for name, program in _programs().items()}))
