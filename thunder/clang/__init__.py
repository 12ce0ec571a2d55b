"""Patch to ``thunder.clang``: ranges, slices and shapes given by symbolic numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    upwards = step > 0
    check(upwards or step < 0, lambda: "arange expects a step that is not zero")
    check(
        (stop >= start) if upwards else (stop <= start),
        lambda: f"arange cannot go from {start} to {stop} by steps of {step}",
    )
    # The number of steps rounded up, in integers
    length = -((start - stop) // step)
    device = devices.to_device(device)
    dtype = dtypes.int64 if dtype is None else dtype
    if dtypes.is_exact_dtype(dtype):
        return prims.iota(length, start=start, step=step, device=device, dtype=dtype)
    return prims.convert_element_type(
        prims.iota(length, start=start, step=step, device=device, dtype=dtypes.int64), dtype
    )


@wrap("_basic_indexing")
def basic_indexing(original: Callable[..., Any], a: Any, /, key: list[Any]) -> Any:
    """Take the integers, slices and new dims of ``key`` by symbolic bounds."""
    if not using_symbolic_values():
        return original(a, key)
    from thunder.clang.slices import index

    return index(a, key)


@wrap("slice_in_dim")
def slice_in_dim(
    original: Callable[..., Any], a: Any, start_index: Any, limit_index: Any, stride: Any = 1, dim: int = 0
) -> Any:
    """Return every ``stride``-th element from ``start_index`` to before ``limit_index``, clamped to the dim."""
    if not using_symbolic_values():
        return original(a, start_index, limit_index, stride, dim)
    from thunder.clang.slices import slice_dims

    return slice_dims(a, {range(len(a._shape))[dim]: slice(start_index, limit_index, stride)})


@wrap("reshape")
def reshape(original: Callable[..., Any], a: Any, shape: Sequence[Any]) -> Any:
    """Return ``a`` in another shape; a -1 in it is the length that keeps the number of elements.

    Raises:
        RuntimeError: where the number of elements does not fit.
    """
    if not using_symbolic_values():
        return original(a, shape)
    from thunder.core.transforms.python_numbers import identical_shapes, product

    dims = a.shape
    if identical_shapes(dims, shape):
        return a
    missing = [axis for axis, length in enumerate(shape) if length < 0]
    if not missing:
        return prims.reshape(a, tuple(shape))
    (axis, *others) = missing
    check(not others and shape[axis] == -1, lambda: f"a shape may hold one -1 and no other negative length: {shape}")
    count, known = product(dims), product([*shape[:axis], *shape[axis + 1 :]])
    check(known != 0, lambda: f"the -1 in {shape} stands for any length: another length is 0")
    check(count % known == 0, lambda: f"a tensor of shape {dims} cannot be reshaped to {shape}")
    return prims.reshape(a, (*shape[:axis], count // known, *shape[axis + 1 :]))
