"""Gradient rules for primitives whose upstream rule needs dims as Python integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from thunder import clang
from thunder.core import dtypes, prims
from thunder.core.langctxs import Languages, langctx
from thunder.core.proxies import TensorProxy
from thunder.core.transforms import const_as
from thunder.core.transforms.python_numbers import identical


def _slice_grad(
    a: TensorProxy, start_indices: Sequence[Any], end_indices: Sequence[Any], strides: Sequence[Any] | None = None
) -> TensorProxy:
    """Pad the gradient with zeros on both sides, and between the elements that a stride skipped."""
    result = prims.slice_prim(a, start_indices, end_indices, strides)
    gradient = prims.get_grad(result)
    padding = []
    for axis, (length, start, end) in enumerate(zip(a.shape, start_indices, end_indices)):
        stride = 1 if strides is None else strides[axis]
        if stride != 1:
            taken = gradient.shape[axis]
            end = start if taken == 0 else start + 1 + (taken - 1) * stride
        padding.append((start, length - end, stride - 1))
    prims.put_grad(a, prims.pad(gradient, const_as(0, gradient.dtype), tuple(padding)))
    return result


def _broadcast_in_dim_grad(a: TensorProxy, shape: Sequence[Any], broadcast_dimensions: Sequence[int]) -> TensorProxy:
    """Sum the gradient over the dims that were added or repeated; those known to be kept need no decision."""
    result = prims.broadcast_in_dim(a, shape, broadcast_dimensions)
    gradient = prims.get_grad(result)
    kept = dict(zip(broadcast_dimensions, a.shape))
    repeated = [p for p, dim in kept.items() if not identical(dim, shape[p]) and dim == 1]
    summed = [p for p in range(len(shape)) if p not in kept or p in repeated]
    if summed:
        gradient = prims.sum(gradient, tuple(summed))
    if repeated:
        unit_dims = tuple(index for index, p in enumerate(kept) if p in repeated)
        gradient = clang.unsqueeze(gradient, unit_dims)
    prims.put_grad(a, gradient)
    return result


def _view_grad(a: TensorProxy, /, *shape: Any) -> TensorProxy:
    """Keep the view, which raises where the layout does not allow it, and a reshape does not."""
    from thunder import torch as ltorch

    result = ltorch.view(a, *shape)
    if dtypes.is_inexact_dtype(result.dtype) and dtypes.is_inexact_dtype(a.dtype):
        gradient = prims.get_grad(result)
        same = result.dtype == a.dtype
        prims.put_grad(a, prims.reshape(gradient, a._shape) if same else prims.bitcast(gradient, a.dtype))
    return result


SYMBOLIC_GRAD_RULES: dict[Any, Callable[..., Any]] = {
    prims.PrimIDs.SLICE: langctx(Languages.TORCH)(_slice_grad),
    prims.PrimIDs.BROADCAST_IN_DIM: langctx(Languages.TORCH)(_broadcast_in_dim_grad),
    "torch.Tensor.view": langctx(Languages.TORCH)(_view_grad),
}
