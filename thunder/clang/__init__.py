"""Patch to ``thunder.clang``: ranges whose length is a symbolic number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thunder.core import devices, dtypes, prims
from thunder.core.baseutils import check
from thunder.core.compile_data import using_symbolic_values
from thunder.core.proxies import IntegerProxy
from thunder_symbolic.vocabulary import wrap


@wrap("arange")
def arange(original: Callable[..., Any], *, start: Any, step: Any, stop: Any, device: Any, dtype: Any = None) -> Any:
    """Return ``start, start + step, ...`` below ``stop``; the length is exact integer arithmetic on dims.

    Raises:
        RuntimeError: where ``step`` does not lead from ``start`` to ``stop``.
    """
    bounds = (start, step, stop)
    integers = all(isinstance(x, (int, IntegerProxy)) for x in bounds)
    if not using_symbolic_values() or not integers or not any(isinstance(x, IntegerProxy) for x in bounds):
        return original(start=start, step=step, stop=stop, device=device, dtype=dtype)
    check(step != 0, lambda: "arange expects a step that is not zero")
    check(
        (stop >= start) if step > 0 else (stop <= start),
        lambda: f"arange cannot go from {start} to {stop} by steps of {step}",
    )
    # The number of steps rounded up, in integers
    length = -((start - stop) // step)
    device = devices.to_device(device)
    dtype = dtypes.int64 if dtype is None else dtype
    if length == 0:
        return prims.full((0,), dtypes.dtype_to_numbertype(dtype)(0), device=device, dtype=dtype)
    if dtypes.is_exact_dtype(dtype):
        return prims.iota(length, start=start, step=step, device=device, dtype=dtype)
    return prims.convert_element_type(
        prims.iota(length, start=start, step=step, device=device, dtype=dtypes.int64), dtype
    )


def _from_start(index: Any, length: Any) -> Any:
    """Return a slice's bound counted from the start; one that lies before the start is the start."""
    if index is None or index >= 0:
        return index
    index = index + length
    return index if index >= 0 else 0


@wrap("_basic_indexing")
def basic_indexing(original: Callable[..., Any], a: Any, /, key: list[Any]) -> Any:
    """Clamp slices that reach beyond the start, as PyTorch does and upstream's meta does not."""
    if not using_symbolic_values():
        return original(a, key)
    lengths = iter(a.shape)
    clamped = []
    for entry in key:
        length = None if entry is None else next(lengths, None)
        if isinstance(entry, slice) and length is not None:
            entry = slice(_from_start(entry.start, length), _from_start(entry.stop, length), entry.step)
        clamped.append(entry)
    return original(a, clamped)
