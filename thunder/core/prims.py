"""Patch to ``thunder.core.prims``: shapes of primitives, where dims known to be equal need no decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from thunder.core.baseutils import check, check_type
from thunder.core.compile_data import guard_recorder
from thunder.core.proxies import NumberProxy, TensorProxy
from thunder.core.symbol import Symbol
from thunder_symbolic.vocabulary import amend, wrap


@wrap("broadcast_in_dim.meta")
def broadcast_in_dim(
    original: Callable[..., TensorProxy], a: TensorProxy, /, shape: Sequence[Any], broadcast_dimensions: Sequence[int]
) -> TensorProxy:
    """Return ``a`` with its dims at the positions ``broadcast_dimensions`` of ``shape``; dims of 1 are repeated.

    Raises:
        RuntimeError: where the positions do not increase, or a dim is neither 1 nor the one asked for.
    """
    if guard_recorder() is None:
        return original(a, shape, broadcast_dimensions)
    from thunder.core.transforms.python_numbers import identical

    check_type(a, TensorProxy)
    positions = list(broadcast_dimensions)
    check(
        len(positions) == len(a._shape) and all(0 <= p < len(shape) for p in positions),
        lambda: f"cannot broadcast {len(a._shape)} dims to positions {positions} of {len(shape)} dims",
    )
    check(positions == sorted(set(positions)), lambda: f"broadcast positions have to increase: {positions}")
    for dim, position in zip(a._shape, positions):
        wanted = shape[position]
        check(
            identical(dim, wanted) or dim == 1 or dim == wanted,  # noqa: PLR1714 (each comparison is a decision)
            lambda: f"a dim of length {dim} cannot be broadcast to length {wanted}",  # noqa: B023
        )
    return TensorProxy(like=a, shape=shape)


@wrap("cat.meta")
def cat(original: Callable[..., TensorProxy], tensors: list[TensorProxy], /, dim: int) -> TensorProxy:
    """Return the concatenation along ``dim``, whose lengths need not be compared.

    Raises:
        RuntimeError: where the tensors differ in device, dtype, rank or another dim.
        IndexError: where there is no such dim.
    """
    if guard_recorder() is None or not tensors or not all(isinstance(t, TensorProxy) for t in tensors):
        return original(tensors, dim)
    from thunder.core.transforms.python_numbers import identical

    first, *others = tensors
    original([first], dim)
    axis = int(dim) % len(first._shape)
    shape = list(first._shape)
    for other in others:
        check(
            (other.dtype, other.device) == (first.dtype, first.device),
            lambda: f"cat takes tensors of one dtype and device, not {first} and {other}",  # noqa: B023
        )
        check(len(other._shape) == len(shape), lambda: "cat takes tensors of one rank")
        for position, (dim_, other_dim) in enumerate(zip(shape, other._shape)):
            check(
                position == axis or identical(dim_, other_dim) or dim_ == other_dim,
                lambda: f"cat along dim {axis}: dim {position} is {dim_} and {other_dim}",  # noqa: B023
            )
        shape[axis] = shape[axis] + other._shape[axis]
    return TensorProxy(like=first, shape=shape)


@wrap("pad.meta")
def pad(
    original: Callable[..., TensorProxy],
    a: TensorProxy,
    /,
    padding_value: Any,
    padding_config: Sequence[tuple[Any, Any, Any]],
) -> TensorProxy:
    """Return ``a`` with ``(low, high, dilation)`` elements added before, after and between those of each dim.

    Raises:
        RuntimeError: where a length would be negative, or the configuration does not fit ``a``.
    """
    if guard_recorder() is None:
        return original(a, padding_value, padding_config)
    from thunder.core.transforms.python_numbers import maximum

    check(len(padding_config) == len(a._shape), lambda: f"pad takes {len(a._shape)} triples, got {padding_config}")
    # Upstream checks the types, on a tensor without elements
    original(TensorProxy(like=a, shape=(0,)), padding_value, ((0, 0, 0),))
    shape = []
    for length, (low, high, dilation) in zip(a._shape, padding_config):
        check(dilation >= 0, lambda: f"pad takes a dilation of at least 0, got {dilation}")  # noqa: B023
        total = length + low + high
        if not (isinstance(dilation, int) and dilation == 0):
            total = total + maximum(length - 1, 0) * dilation
        check(total >= 0, lambda: f"a dim of length {length} cannot be padded by {low} and {high}")  # noqa: B023
        shape.append(total)
    return TensorProxy(like=a, shape=shape)


@amend("put_grad")
def put_grad(symbol: Symbol) -> Symbol:
    """Let the gradient of a tensor without dims be summed."""
    from thunder.core.scalar_gradients import PutGrad

    return PutGrad(**{field.name: getattr(symbol, field.name) for field in fields(symbol)})


@wrap("slice_prim.meta")
def slice_prim(
    original: Callable[..., TensorProxy],
    a: TensorProxy,
    /,
    start_indices: Sequence[Any],
    end_indices: Sequence[Any],
    strides: Sequence[Any] | None = None,
) -> TensorProxy:
    """Return every ``strides``-th element of each dim from ``start_indices`` to before ``end_indices``.

    Raises:
        RuntimeError: where the bounds are out of order or outside a dim, or a stride is not positive.
    """
    if guard_recorder() is None:
        return original(a, start_indices, end_indices, strides)
    from thunder.core.transforms.python_numbers import folded, identical

    check_type(a, TensorProxy)
    rank = len(a._shape)
    steps = [1] * rank if strides is None else list(strides)
    check(
        len(start_indices) == len(end_indices) == len(steps) == rank,
        lambda: f"a slice of {rank} dims takes as many bounds: {start_indices}, {end_indices}, {steps}",
    )
    shape = []
    for length, start, end, stride in zip(a._shape, start_indices, end_indices, steps):
        if identical(end, length) and identical(start, 0) and identical(stride, 1):
            shape.append(length)
            continue
        check(
            start >= 0 and start <= end <= length and stride >= 1,
            lambda: f"a dim of length {length} has no slice from {start} to {end} by {stride}",  # noqa: B023
        )
        taken = end - start if identical(stride, 1) else (end - start + stride - 1) // stride
        shape.append(folded(taken))
    return TensorProxy(like=a, shape=shape)


@wrap("iota.meta")
def iota(original: Callable[..., TensorProxy], length: Any, **options: Any) -> TensorProxy:
    """Return ``length`` integers; upstream gives no integers the shape of a scalar.

    Raises:
        RuntimeError: where ``length`` is negative, or the dtype is no integer type.
    """
    if guard_recorder() is None and length != 0:
        return original(length, **options)
    check(length >= 0, lambda: f"iota takes a length of at least 0, got {length}")
    # Upstream checks the types, for one integer
    return TensorProxy(like=original(1, **options), shape=(length,))


@wrap("take.meta")
def take(original: Callable[..., TensorProxy], a: TensorProxy, /, index: TensorProxy, dim: int) -> TensorProxy:
    """Return the elements of ``a`` along ``dim`` at a vector of positions, which the kernel compares with the dim.

    Raises:
        RuntimeError: where ``index`` has several dims or is not of an integer type, or there is no dim ``dim``.
    """
    if guard_recorder() is None:
        return original(a, index, dim)
    # Upstream checks all but the dims, on one element
    original(TensorProxy(like=a, shape=(1,) * len(a._shape)), index, dim)
    shape = list(a._shape)
    shape[dim] = index._shape[0] if index._shape else 1
    return TensorProxy(like=a, shape=shape)


@wrap("tensor_from_sequence.meta")
def tensor_from_sequence(original: Callable[..., TensorProxy], numbers: Any, **options: Any) -> TensorProxy:
    """Return a tensor of a nested sequence of numbers, symbolic ones too: dtype and shape depend on types only."""
    if guard_recorder() is None:
        return original(numbers, **options)
    return original(_of_examples(numbers), **options)


def _of_examples(numbers: Any) -> Any:
    if isinstance(numbers, NumberProxy):
        return numbers.python_type(1)
    return [_of_examples(x) for x in numbers] if isinstance(numbers, (list, tuple)) else numbers
