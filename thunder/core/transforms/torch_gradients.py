"""Gradients of the operations that upstream registers as torch's own: torch's autograd computes them.

Each operation gets an operator of its own that runs torch's function again and differentiates it. It takes tensors
wherever they stand: in lists and as keyword arguments too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import torch
from thunder.core import dtypes, prims
from thunder.core.proxies import TensorProxy
from thunder.core.pytree import tree_flatten, tree_iter, tree_unflatten
from thunder.core.symbol import Symbol


def _differentiable(x: Any) -> bool:
    if isinstance(x, torch.Tensor):
        return x.is_floating_point() or x.is_complex()
    return isinstance(x, TensorProxy) and dtypes.is_inexact_dtype(x.dtype)


def _vjp_meta(args: Any, kwargs: Any, gradients: Any) -> tuple[TensorProxy, ...]:
    """Return one gradient like each of the arguments that can have one."""
    return tuple(TensorProxy(like=x, requires_grad=False) for x in tree_iter((args, kwargs)) if _differentiable(x))


def _vjp(function: Callable[..., Any], args: Any, kwargs: Any, gradients: Any) -> tuple[torch.Tensor, ...]:
    """Return the gradients of ``function``'s inputs, given those of its outputs."""
    flat, structure = tree_flatten((args, kwargs))
    leaves = [x.detach().requires_grad_() if _differentiable(x) else x for x in flat]
    inputs = [x for x in leaves if _differentiable(x)]
    with torch.enable_grad():
        args, kwargs = tree_unflatten(leaves, structure)
        outputs = [x for x in tree_iter(function(*args, **kwargs)) if _differentiable(x)]
    pairs = [(output, gradient) for output, gradient in zip(outputs, gradients) if output.requires_grad]
    if not pairs:
        return tuple(map(torch.zeros_like, inputs))
    with_gradient, cotangents = zip(*pairs)
    return torch.autograd.grad(with_gradient, inputs, cotangents, allow_unused=True, materialize_grads=True)


@cache
def _operator(symbol: Symbol) -> Symbol:
    """Return the operator that computes the gradients of ``symbol``.

    It is named after the module too: functions of one name in several modules differ.
    """
    from thunder.executors.torchex import _always_executable, ex

    name = f"{symbol.id}_vjp".replace(".", "_")
    function = getattr(symbol.meta, "__torchfn")
    operator = ex.register_operator(name, meta=_vjp_meta, fn=partial(_vjp, function))
    ex.register_implementation(operator.id, operator, checker=_always_executable)
    return operator


def rule_of(symbol: Symbol) -> Callable[..., Any] | None:
    """Return the gradient rule of an operation registered as torch's own, or None for others."""
    if prims.OpTags.AUTO_REGISTERED not in (symbol.tags or ()):
        return None

    def rule(*args: Any, **kwargs: Any) -> Any:
        result = symbol(*args, **kwargs)
        outputs = [x for x in tree_iter(result) if _differentiable(x)]
        gradients = _operator(symbol)(args, kwargs, [prims.get_grad(x) for x in outputs])
        inputs = [x for x in tree_iter((args, kwargs)) if _differentiable(x)]
        for x, gradient in zip(inputs, gradients, strict=True):
            prims.put_grad(x, gradient)
        return result

    return rule
