"""What a program is, and short ways to write its inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

Calls = list[tuple[Any, ...]]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """A function, the calls it gets, and what they may cost.

    Args:
        function: what is compiled.
        calls: the arguments of each call.
        allowed: the most specializations that a sound compiler needs, in either order of the calls.
        why: the reason where ``allowed`` is more than 1.
        lacks: the operator that Thunder lacks, where the program has to end in an error that names it.
    """

    function: Callable[..., Any]
    calls: Calls
    allowed: int = 1
    why: str = ""
    lacks: str = ""


def tensors(*shapes: Shape) -> Calls:
    """Return a call for each shape, with one tensor."""
    return [(torch.randn(shape),) for shape in shapes]


def rows(*lengths: int) -> Calls:
    """Return a call for each length, with one tensor of that many rows and two columns."""
    return tensors(*((length, 2) for length in lengths))


def pairs(*shapes: tuple[Shape, Shape]) -> Calls:
    """Return a call for each pair of shapes, with two tensors."""
    return [(torch.randn(a), torch.randn(b)) for a, b in shapes]


def each(x: torch.Tensor, *values: Any) -> Calls:
    """Return a call for each value, which follows the tensor ``x``."""
    return [(x, value) for value in values]
