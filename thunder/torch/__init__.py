"""Patch to ``thunder.torch``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from thunder.core.compile_data import using_symbolic_values
from thunder.core.proxies import IntegerProxy
from thunder_symbolic.vocabulary import wrap


def _as_float(factor: Any) -> Any:
    # A symbolic integer too: arithmetic with a float promotes it
    return factor * 1.0 if isinstance(factor, (int, IntegerProxy)) else factor


@wrap("_interpolate_scale_factor_helper")
def interpolate_by_factor(original: Callable[..., Any], a: Any, scale_factor: Any, mode: str = "nearest") -> Any:
    """PyTorch takes integers as scale factors; upstream's meta takes floats only."""
    if not using_symbolic_values():
        return original(a, scale_factor, mode)
    if isinstance(scale_factor, Sequence):
        return original(a, [_as_float(factor) for factor in scale_factor], mode)
    return original(a, _as_float(scale_factor), mode)
