"""Writes random programs over tensors with symbolic dims, and the calls that they get.

A program is Python text, so that a failure can be read and kept. Each dim of an input is one of three sizes; a call
draws the sizes. While a program is written, shapes are tuples of names: operands whose names agree fit on every call,
others fit only sometimes, and then eager raises too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from hypothesis import strategies as st

SIZES = ("p", "q", "r")
Shape = tuple[str, ...]
Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass
class FuzzedProgram:
    """A program's text and its calls.

    Args:
        source: the text of a function called ``program``.
        calls: arguments of each call, as shapes (tuples), numbers, None, or lists of those.
    """

    source: str
    calls: list[list[Any]]

    def function(self) -> Callable[..., Any]:
        """Return the program, compiled from its text."""
        namespace: dict[str, Any] = {"torch": torch, "F": F, "math": math}
        exec(compile(self.source, "<fuzzed program>", "exec"), namespace)
        return namespace["program"]

    def arguments(self) -> list[tuple[Any, ...]]:
        """Return the arguments of each call, with random tensors of the drawn shapes."""
        return [tuple(map(_argument, call)) for call in self.calls]

    def __str__(self) -> str:
        return f"{self.source}\ncalls: {self.calls}"


def _argument(drawn: Any) -> Any:
    if isinstance(drawn, tuple):
        return torch.randn(drawn, dtype=torch.float64)
    return [_argument(x) for x in drawn] if isinstance(drawn, list) else drawn


@dataclass
class Writer:
    """Writes one program: what is in scope, and the lines so far."""

    draw: Draw
    tensors: dict[str, Shape] = field(default_factory=dict)
    integers: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    names: int = 0

    def pick(self, choices: Any) -> Any:
        return self.draw(st.sampled_from(list(choices)))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def fresh(self, prefix: str = "t") -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def tensor(self, rank: int = 0) -> str:
        """Return the name of a tensor of at least ``rank`` dims, preferring what was written last."""
        fitting = [name for name, shape in self.tensors.items() if len(shape) >= rank]
        return self.pick(fitting[::-1]) if fitting else ""

    def assign(self, text: str, shape: Shape, indent: str = "    ") -> None:
        name = self.fresh()
        self.lines.append(f"{indent}{name} = {text}")
        self.tensors[name] = shape

    def integer(self, depth: int = 2) -> str:
        """Return an expression of an int."""
        if depth == 0 or self.number(0, 2) == 0:
            return self._atom()
        a, k = self.integer(depth - 1), self.number(1, 4)
        form = self.pick(_INTEGER_FORMS)
        return form.format(a=a, k=k, b=self.integer(depth - 1) if "{b}" in form else "")

    def _atom(self) -> str:
        name = self.tensor(1)
        atoms = [str(self.number(0, 4)), *self.integers]
        if name:
            axis = self.number(0, len(self.tensors[name]) - 1)
            atoms += [f"{name}.shape[{axis}]", f"{name}.size({axis - len(self.tensors[name])})", f"{name}.shape[-1]"]
            atoms += [f"{name}.numel()", f"len({name})", f"{name}.ndim"]
        return self.pick(atoms[::-1])

    def float_(self) -> str:
        """Return an expression of a float."""
        forms = ("{a} / {k}", "{a} * 0.5", "math.sqrt(abs({a}))", "float({a})", "({a} + 1) ** -0.5", "{k}.25")
        return self.pick([*self.floats, self.pick(forms).format(a=self.integer(1), k=self.number(1, 3))])

    def condition(self, depth: int = 1) -> str:
        """Return an expression of a bool."""
        if depth and self.number(0, 3) == 0:
            form = self.pick(("({c}) and ({d})", "({c}) or ({d})", "not ({c})"))
            return form.format(c=self.condition(depth - 1), d=self.condition(depth - 1))
        form = self.pick(
            ("{a} > {b}", "{a} == {b}", "{a} <= {b}", "{a} != {b}", "{a} % 2 == 0", "{k} < {a} < 6", "{a}")
        )
        return form.format(a=self.integer(1), b=self.integer(1), k=self.number(0, 2))


_INTEGER_FORMS = (
    "({a} + {k})",
    "({a} - {k})",
    "({a} * {k})",
    "({a} // {k})",
    "({a} % {k})",
    "-(-{a} // {k})",
    "({a} + {b})",
    "({a} - {b})",
    "min({a}, {k})",
    "max({a}, {k})",
    "min({a}, {b})",
    "max({a}, {b})",
    "math.ceil({a} / {k})",
    "int({a} * 0.5)",
    "round({a} / {k})",
    "abs({a} - {k})",
    "({a} & {k})",
)
