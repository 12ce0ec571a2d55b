"""Patch to ``thunder.core.utils``: shapes are compared dim by dim only where their ranks agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from thunder.core.compile_data import guard_recorder
from thunder_symbolic.vocabulary import wrap


@wrap("same_shape")
def same_shape(original: Callable[..., bool], a: Sequence[Any], b: Sequence[Any], /) -> bool:
    """Return whether two shapes are equal; dims known to be equal are not decided on."""
    if guard_recorder() is None:
        return original(a, b)
    from thunder.core.transforms.python_numbers import equal_shapes

    return equal_shapes(a, b)
