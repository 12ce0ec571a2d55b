"""Slices by symbolic bounds: clamped to the dim by minimum and maximum, without a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thunder.core import prims
from thunder.core.baseutils import check
from thunder.core.proxies import TensorProxy
from thunder.core.transforms.python_numbers import identical, maximum, minimum


def clamped_bound(bound: Any, length: Any) -> Any:
    """Return a bound of a slice as Python does: counted from the start, and between 0 and ``length``."""
    if bound >= 0:
        return minimum(bound, length)
    return maximum(bound + length, 0)


def slice_bounds(entry: slice, length: Any) -> tuple[Any, Any, Any]:
    """Return the start, the end and the stride that ``entry`` selects of a dim of ``length``.

    Raises:
        RuntimeError: where the stride is not positive.
    """
    stride = 1 if entry.step is None else entry.step
    check(stride >= 1, lambda: f"a slice takes a step of at least 1, got {stride}")
    start = 0 if entry.start is None else clamped_bound(entry.start, length)
    end = length if entry.stop is None else clamped_bound(entry.stop, length)
    return start, maximum(start, end), stride


def slice_dims(a: TensorProxy, slices: Mapping[int, slice]) -> TensorProxy:
    """Return what ``slices``, by dim, select of ``a``."""
    starts: list[Any] = [0] * len(a._shape)
    ends: list[Any] = list(a.shape)
    strides: list[Any] = [1] * len(a._shape)
    for axis, entry in slices.items():
        starts[axis], ends[axis], strides[axis] = slice_bounds(entry, ends[axis])
    whole = all(
        isinstance(start, int) and start == 0 and isinstance(stride, int) and stride == 1 and identical(end, length)
        for start, end, stride, length in zip(starts, ends, strides, a._shape)
    )
    return a if whole else prims.slice_prim(a, starts, ends, strides)


def take_slices(a: TensorProxy, key: Sequence[Any]) -> tuple[TensorProxy, list[Any]]:
    """Return what the slices of an indexing ``key`` select, and the key that is left for the result."""
    slices: dict[int, slice] = {}
    rest: list[Any] = []
    axis = 0
    for entry in key:
        if isinstance(entry, slice):
            slices[axis] = entry
            entry = slice(None)
        axis += entry is not None
        rest.append(entry)
    return slice_dims(a, slices), rest
