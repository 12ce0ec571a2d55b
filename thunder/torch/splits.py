"""Splits into parts whose number is decided, and whose bounds are not."""

from __future__ import annotations

import operator
from typing import Any

from thunder.core.baseutils import check
from thunder.core.proxies import TensorProxy
from thunder.core.transforms.python_numbers import derive, maximum, minimum
from thunder.core.utils import canonicalize_dim


def _parts(a: TensorProxy, bounds: list[tuple[Any, Any]], axis: int) -> tuple[TensorProxy, ...]:
    """Return what lies between each two ``bounds``, known to be in order and within the dim."""
    from thunder.core import prims

    parts = []
    for start, end in bounds:
        starts, ends = [0] * len(a._shape), list(a.shape)
        starts[axis], ends[axis] = start, end
        parts.append(prims.slice_prim(a, starts, ends))
    return tuple(parts)


def _parts_of_length(a: TensorProxy, count: int, length: Any, axis: int) -> tuple[TensorProxy, ...]:
    """Return ``count`` parts, each but the last of ``length``: the guards so far say that they are so many."""
    total = a.shape[axis]
    starts = [i * length for i in range(count)]
    for start in starts:
        derive(start <= total)
    return _parts(a, list(zip(starts, [*starts[1:], total])), axis)


def split_by_length(a: TensorProxy, length: Any, dim: int) -> tuple[TensorProxy, ...]:
    """Return parts of ``length`` along ``dim``, the last of them shorter where it does not divide the dim.

    Raises:
        RuntimeError: where ``length`` is negative, or 0 and the dim is not.
    """
    axis = canonicalize_dim(len(a._shape), dim)
    total = a.shape[axis]
    check(length >= 0, lambda: f"split takes a length of at least 0, got {length}")
    if length == 0:
        check(total == 0, lambda: f"a dim of length {total} cannot be split into parts of length 0")
        return (a,)
    # torch splits an empty dim into one part
    if total <= length:
        return (a,)
    parts = -(-total // length)
    return _parts_of_length(a, operator.index(parts), length, axis)


def chunk(a: TensorProxy, chunks: Any, dim: int) -> tuple[TensorProxy, ...]:
    """Return at most ``chunks`` parts of equal length along ``dim``, the last of them shorter.

    Raises:
        RuntimeError: where ``a`` has no dims, or ``chunks`` is not positive.
    """
    check(len(a._shape) > 0, lambda: "chunk takes a tensor of at least one dim")
    check(chunks > 0, lambda: f"chunk takes a positive number of chunks, got {chunks}")
    axis = canonicalize_dim(len(a._shape), dim)
    total, chunks = a.shape[axis], operator.index(chunks)
    length = (total + chunks - 1) // chunks
    # As many as asked for where the last is not empty; torch makes as many of an empty dim, too
    if (chunks - 1) * length < maximum(total, 1):
        return _parts_of_length(a, chunks, length, axis)
    derive(length >= 1)
    parts = -(-total // length)
    return _parts_of_length(a, operator.index(parts), length, axis)


def split_evenly(a: TensorProxy, sections: Any, dim: int) -> tuple[TensorProxy, ...]:
    """Return ``sections`` parts along ``dim``, those in front longer by one where it does not divide evenly.

    Raises:
        RuntimeError: where ``sections`` is not positive.
    """
    check(sections > 0, lambda: f"tensor_split takes a positive number of sections, got {sections}")
    axis = canonicalize_dim(len(a._shape), dim)
    length, longer = a.shape[axis] // sections, a.shape[axis] % sections
    starts = [i * length + minimum(i, longer) for i in range(sections)]
    return _parts(a, list(zip(starts, [*starts[1:], a.shape[axis]])), axis)
