"""Slices by symbolic bounds: clamped to the dim by minimum and maximum, without a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thunder import clang
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


def position(entry: Any, length: Any) -> Any:
    """Return the position that an integer selects of a dim of ``length``, counted from the start.

    Raises:
        IndexError: where it lies outside the dim.
    """
    counted = entry if entry >= 0 else entry + length
    check(
        counted >= 0 and counted < length,
        lambda: f"index {entry} is out of bounds for a dim of length {length}",
        exception_type=IndexError,
    )
    return counted


def index(a: TensorProxy, key: Sequence[Any]) -> TensorProxy:
    """Return what the integers and slices of an indexing ``key`` select of ``a``, with a dim of 1 for each None."""
    dims = a.shape
    slices: dict[int, slice] = {}
    single: list[int] = []
    new: list[int] = []
    axis = 0
    for entry in key:
        if entry is None:
            # Among the dims that stay
            new.append(axis - len(single) + len(new))
            continue
        if not isinstance(entry, slice):
            start = position(entry, dims[axis])
            single.append(axis)
            slices[axis] = slice(start, start + 1)
        elif entry != slice(None):
            slices[axis] = entry
        axis += 1
    result = slice_dims(a, slices) if slices else a
    if single:
        result = prims.squeeze(result, tuple(single))
    return clang.unsqueeze(result, tuple(new)) if new else result
