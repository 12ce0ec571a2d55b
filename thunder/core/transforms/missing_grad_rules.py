"""Gradient rules for primitives that upstream differentiates not at all, or only outside its joint trace.

A rule computes the primitive and puts, for each tensor argument, what the gradient of the result makes its gradient.
The formulas are those of torch's ``derivatives.yaml``, ties and nan included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from thunder.core import dtypes, prims
from thunder.core.langctxs import Languages, langctx
from thunder.core.proxies import TensorProxy

Rule = Callable[..., Any]


def _put(a: Any, gradient: Callable[[], TensorProxy]) -> None:
    if isinstance(a, TensorProxy) and dtypes.is_inexact_dtype(a.dtype):
        prims.put_grad(a, gradient())


def _minimum_grad(a: Any, b: Any, /) -> TensorProxy:
    from thunder import torch as ltorch

    result = prims.minimum(a, b)
    gradient = prims.get_grad(result)
    shared = ltorch.where(a == b, gradient / 2, gradient)
    _put(a, lambda: ltorch.where(a > b, 0.0, shared))
    _put(b, lambda: ltorch.where(b > a, 0.0, shared))
    return result


def _remainder_grad(a: Any, b: Any, /) -> TensorProxy:
    from thunder import torch as ltorch

    result = prims.remainder(a, b)
    gradient = prims.get_grad(result)
    _put(a, lambda: gradient)
    _put(b, lambda: -gradient * ltorch.floor(a / b))
    return result


def _lerp_grad(start: TensorProxy, end: TensorProxy, weight: Any, /) -> TensorProxy:
    result = prims.lerp(start, end, weight)
    gradient = prims.get_grad(result)
    _put(start, lambda: gradient * (1 - weight))
    _put(end, lambda: gradient * weight)
    _put(weight, lambda: gradient * (end - start))
    return result


def _zeta_grad(x: Any, q: Any, /) -> TensorProxy:
    if isinstance(x, TensorProxy) and x.requires_grad:
        raise NotImplementedError("zeta has no derivative by its first argument, which requires grad")
    result = prims.zeta(x, q)
    gradient = prims.get_grad(result)
    _put(q, lambda: gradient * -x * prims.zeta(x + 1.0, q))
    return result


def _matmul_grad(a: TensorProxy, b: TensorProxy, /) -> TensorProxy:
    """Multiply by the other operand; upstream's rule for a vector drops every dim of 1 from its gradient."""
    from thunder import torch as ltorch

    result = prims.matmul(a, b)
    gradient = prims.get_grad(result)
    if len(a._shape) == 1 and len(b._shape) == 1:
        of_a, of_b = gradient * b, gradient * a
    elif len(b._shape) == 1:
        rows = ltorch.unsqueeze(gradient, -1)
        of_a, of_b = rows * b, ltorch.sum(a * rows, tuple(range(len(a._shape) - 1)))
    elif len(a._shape) == 1:
        columns = ltorch.unsqueeze(gradient, -2)
        kept = len(b._shape) - 2
        of_a = ltorch.sum(b * columns, tuple(axis for axis in range(len(b._shape)) if axis != kept))
        of_b = ltorch.unsqueeze(a, -1) * columns
    else:
        of_a, of_b = gradient @ b.mT, a.mT @ gradient
    _put(a, lambda: of_a)
    _put(b, lambda: of_b)
    return result


def _nextafter_grad(a: Any, b: Any, /) -> TensorProxy:
    result = prims.nextafter(a, b)
    gradient = prims.get_grad(result)
    _put(a, lambda: gradient)
    _put(b, lambda: gradient * 0.0)
    return result


def _real_grad(a: Any, /) -> TensorProxy:
    result = prims.real(a)
    gradient = prims.get_grad(result)
    _put(a, lambda: prims.convert_element_type(gradient, a.dtype))
    return result


def _imag_grad(a: Any, /) -> TensorProxy:
    result = prims.imag(a)
    gradient = prims.get_grad(result)
    _put(a, lambda: prims.convert_element_type(gradient, a.dtype) * 1j)
    return result


def _flip_grad(a: TensorProxy, /, dims: Sequence[int]) -> TensorProxy:
    result = prims.flip(a, dims)
    gradient = prims.get_grad(result)
    _put(a, lambda: prims.flip(gradient, dims))
    return result


def _index_add_grad(a: TensorProxy, /, index: TensorProxy, value: TensorProxy, dim: int) -> TensorProxy:
    result = prims.index_add(a, index, value, dim)
    gradient = prims.get_grad(result)
    _put(a, lambda: gradient)
    _put(value, lambda: prims.take(gradient, index, dim))
    return result


def _index_put_grad(
    a: TensorProxy, /, indices: Sequence[TensorProxy], values: TensorProxy, accumulate: bool = False
) -> TensorProxy:
    from thunder import torch as ltorch
    from thunder.core.transforms import sum_to

    result = ltorch.index_put(a, indices, values, accumulate)
    gradient = prims.get_grad(result)
    _put(a, lambda: gradient if accumulate else ltorch.index_put(gradient, indices, ltorch.zeros_like(values)))
    _put(values, lambda: sum_to(gradient[tuple(indices)], values._shape))
    return result


def _prod_grad(a: TensorProxy, /, dims: Sequence[int]) -> TensorProxy:
    """Multiply the gradient with the product of the other elements, which a zero does not make a division by zero."""
    from thunder import torch as ltorch

    result = prims.prod(a, dims)
    gradient = prims.get_grad(result)

    def of_others() -> TensorProxy:
        kept = [axis for axis in range(len(a._shape)) if axis not in dims]
        order = [*kept, *dims]
        moved = ltorch.permute(a, order)
        shape = moved._shape
        flat = ltorch.flatten(moved, len(kept)) if dims else ltorch.unsqueeze(moved, -1)
        one = ltorch.ones(*flat._shape[:-1], 1, dtype=a.dtype, device=a.device)

        def before(x: TensorProxy) -> TensorProxy:
            return ltorch.cumprod(ltorch.cat([one, x], -1)[..., :-1], -1)

        others = before(flat) * ltorch.flip(before(ltorch.flip(flat, -1)), -1)
        spread = ltorch.reshape(others * ltorch.unsqueeze(gradient, -1), shape)
        return ltorch.permute(spread, [order.index(axis) for axis in range(len(order))])

    _put(a, of_others)
    return result


def _unfold_grad(a: TensorProxy, /, dim: int, size: Any, step: Any) -> TensorProxy:
    """Add each window's gradient to where the window was taken from: windows may overlap."""
    from thunder import torch as ltorch

    result = prims.unfold(a, dim, size, step)
    gradient = prims.get_grad(result)
    if not a._shape:
        _put(a, lambda: ltorch.sum(gradient))
        return result
    axis = dim % len(a._shape)

    def scattered() -> TensorProxy:
        windows = gradient._shape[axis]
        starts = ltorch.arange(windows, device=a.device) * step
        elements = ltorch.arange(size, device=a.device)
        index = ltorch.reshape(ltorch.unsqueeze(starts, 1) + elements, (windows * size,))
        flat = ltorch.flatten(ltorch.movedim(gradient, -1, axis + 1), axis, axis + 1)
        zeros = ltorch.zeros(*a._shape, dtype=a.dtype, device=a.device)
        return prims.index_add(zeros, index, flat, axis)

    _put(a, scattered)
    return result


def _view_grad(a: TensorProxy, /, shape: Sequence[Any]) -> TensorProxy:
    result = prims.view(a, shape)
    gradient = prims.get_grad(result)
    _put(a, lambda: prims.reshape(gradient, a._shape))
    return result


def _constant_pieces(primitive: Callable[..., TensorProxy]) -> Rule:
    """Return the rule of a primitive that is constant but for its jumps."""

    def rule(a: TensorProxy, *settings: Any) -> TensorProxy:
        result = primitive(a, *settings)
        gradient = prims.get_grad(result)
        _put(a, lambda: gradient * 0.0)
        return result

    return rule


_RULES: dict[Any, Rule] = {
    prims.PrimIDs.MINIMUM: _minimum_grad,
    prims.PrimIDs.REMAINDER: _remainder_grad,
    prims.PrimIDs.LERP: _lerp_grad,
    prims.PrimIDs.ZETA: _zeta_grad,
    prims.PrimIDs.NEXTAFTER: _nextafter_grad,
    prims.PrimIDs.REAL: _real_grad,
    prims.PrimIDs.IMAG: _imag_grad,
    prims.PrimIDs.FLIP: _flip_grad,
    prims.PrimIDs.INDEX_ADD: _index_add_grad,
    "torch.index_put": _index_put_grad,
    prims.PrimIDs.PROD: _prod_grad,
    prims.PrimIDs.UNFOLD: _unfold_grad,
    prims.PrimIDs.VIEW: _view_grad,
    prims.PrimIDs.ROUND: _constant_pieces(prims.round),
    prims.PrimIDs.TRUNC: _constant_pieces(prims.trunc),
}
# Upstream has a rule for each of these, which is used in their place no more
_CORRECTED: dict[Any, Rule] = {prims.PrimIDs.MATMUL: _matmul_grad}
CORRECTED_GRAD_RULES = {primitive: langctx(Languages.TORCH)(rule) for primitive, rule in _CORRECTED.items()}
MISSING_GRAD_RULES = {primitive: langctx(Languages.TORCH)(rule) for primitive, rule in _RULES.items()}
