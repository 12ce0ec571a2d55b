"""Splits into parts whose number is decided, and whose bounds are not."""

from __future__ import annotations

from typing import Any

from thunder.core.baseutils import check
from thunder.core.compile_data import guard_recorder
from thunder.core.proxies import NumberProxy, TensorProxy
from thunder.core.transforms.python_numbers import minimum
from thunder.core.utils import canonicalize_dim


def _seen(x: Any) -> Any:
    """Return the value of ``x`` while tracing, which only tells what to decide."""
    recorder = guard_recorder()
    if recorder is None or not isinstance(x, NumberProxy):
        return x
    with recorder.quiet():
        return x.value


def _parts(a: TensorProxy, bounds: list[tuple[Any, Any]], axis: int) -> tuple[TensorProxy, ...]:
    """Return what lies between each two ``bounds``, known to be in order and within the dim."""
    from thunder.core import prims

    parts = []
    for start, end in bounds:
        starts, ends = [0] * len(a._shape), list(a.shape)
        starts[axis], ends[axis] = start, end
        parts.append(prims.slice_prim(a, starts, ends))
    return tuple(parts)


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
    count = max(1, -(-_seen(total) // _seen(length)))
    last = (count - 1) * length
    # These two say that the number of parts is the same; torch splits an empty dim into one part
    check(count == 1 or last < total, lambda: "split lost count")
    check(total <= count * length, lambda: "split lost count")
    return _parts(a, [(i * length, (i + 1) * length) for i in range(count - 1)] + [(last, total)], axis)


def chunk(a: TensorProxy, chunks: Any, dim: int) -> tuple[TensorProxy, ...]:
    """Return at most ``chunks`` parts of equal length along ``dim``, the last of them shorter.

    Raises:
        RuntimeError: where ``a`` has no dims, or ``chunks`` is not positive.
    """
    check(len(a._shape) > 0, lambda: "chunk takes a tensor of at least one dim")
    check(chunks > 0, lambda: f"chunk takes a positive number of chunks, got {chunks}")
    axis = canonicalize_dim(len(a._shape), dim)
    total = a.shape[axis]
    if total == 0:
        return _parts(a, [(0, 0)] * chunks, axis)
    return split_by_length(a, (total + chunks - 1) // chunks, axis)


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
