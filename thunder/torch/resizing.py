"""Nearest-neighbour resizing by whole factors: each element is repeated, whatever the dims are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thunder.core import prims
from thunder.core.proxies import NumberProxy, TensorProxy


def whole_factors(scale_factor: Any, rank: int) -> list[int] | None:
    """Return one factor for each of ``rank`` dims where all are known whole numbers of at least 1, else None."""
    factors = list(scale_factor) if isinstance(scale_factor, Sequence) else [scale_factor] * rank
    whole = all(not isinstance(factor, NumberProxy) and factor == int(factor) and factor >= 1 for factor in factors)
    return [int(factor) for factor in factors] if whole and len(factors) == rank else None


def repeat_elements(a: TensorProxy, factors: Sequence[int]) -> TensorProxy:
    """Return ``a``, of dims (batch, channels, ...), with each element of a later dim repeated by its factor."""
    batch, channels, *spatial = a.shape
    expanded: list[Any] = [batch, channels]
    resized: list[Any] = [batch, channels]
    kept = [0, 1]
    for length, factor in zip(spatial, factors):
        kept.append(len(expanded))
        expanded += [length, factor]
        resized.append(length * factor)
    return prims.reshape(prims.broadcast_in_dim(a, tuple(expanded), tuple(kept)), tuple(resized))
