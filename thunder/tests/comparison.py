"""Compares a jitted callable with eager, call by call."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import thunder
import torch
from torch.utils._pytree import tree_flatten, tree_map


class Silent(AssertionError):
    """The jitted callable returned where eager raises."""


class Crash(AssertionError):
    """The jitted callable raised where eager returns: ``__cause__`` is what it raised."""


def specializations(jitted: Callable[..., Any]) -> int:
    """Return how many cached computations ``jitted`` holds."""
    return len(thunder.compile_stats(jitted).interpreter_cache)


def _leaf(x: Any, with_grad: bool) -> Any:
    if not isinstance(x, torch.Tensor):
        return x
    return x.detach().clone().requires_grad_(with_grad and x.is_floating_point())


def _loss(output: torch.Tensor) -> torch.Tensor:
    # Weights that differ, so that the loss of a normalised output does not have a gradient of rounding errors
    weights = torch.linspace(0.5, 1.5, output.numel(), dtype=output.dtype).reshape(output.shape)
    return (output * output * weights).sum()


def _run(function: Callable[..., Any], args: Sequence[Any], with_grad: bool) -> tuple[list[Any], list[Any]] | Exception:
    args = tree_map(lambda x: _leaf(x, with_grad), list(args))
    try:
        outputs = tree_flatten(function(*args))[0]
        differentiable = [o for o in outputs if isinstance(o, torch.Tensor) and o.requires_grad]
        if differentiable:
            sum(_loss(o) for o in differentiable).backward()
    except Exception as error:
        return error
    gradients = [x.grad for x in tree_flatten(args)[0] if isinstance(x, torch.Tensor)]
    return outputs, gradients


def assert_same_as_eager(
    function: Callable[..., Any], calls: Sequence[Sequence[Any]], *, with_grad: bool = False, **options: Any
) -> Callable[..., Any]:
    """Call one jitted ``function`` with each of ``calls`` and compare with eager; return the jitted callable.

    Outputs and gradients are compared in value, shape and dtype; where eager raises, the jitted callable must.

    Raises:
        AssertionError: where they differ; a ``Silent`` or a ``Crash`` where only one of them raises.
    """
    eager = copy.deepcopy(function) if isinstance(function, torch.nn.Module) else function
    jitted = thunder.jit(function, cache="symbolic values", **options)
    for args in calls:
        expected, actual = _run(eager, args, with_grad), _run(jitted, args, with_grad)
        if isinstance(expected, Exception):
            if not isinstance(actual, Exception):
                raise Silent(f"eager raised {expected!r}, the jitted callable did not")
            continue
        if isinstance(actual, Exception):
            raise Crash(f"the jitted callable raised {actual!r}, eager did not") from actual
        torch.testing.assert_close(actual[0], expected[0], equal_nan=True)
        for gradient, eager_gradient in zip(actual[1], expected[1], strict=True):
            if eager_gradient is None and gradient is not None:
                # Thunder marks outputs as differentiable that eager does not: their gradient is zero
                eager_gradient = torch.zeros_like(gradient)
            # Decomposed operations round otherwise than PyTorch's own kernels in float32
            torch.testing.assert_close(gradient, eager_gradient, rtol=1e-4, atol=1e-4, equal_nan=True)
    return jitted
