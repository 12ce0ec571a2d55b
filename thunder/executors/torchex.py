"""Patch to ``thunder.executors.torchex``: pooled shapes without a decision on the remainder, primitives it lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thunder.core import prims
from thunder.core.baseutils import check
from thunder.core.compile_data import guard_recorder
from thunder.core.proxies import TensorProxy
from thunder.extend import OperatorExecutor
from thunder_symbolic.vocabulary import amend, wrap


@amend("ex")
def execute_missing_primitives(executor: OperatorExecutor) -> OperatorExecutor:
    """Let torch execute the primitives that a gradient rule leaves in the trace, too."""
    if prims.lerp.id not in executor.implmap:
        executor.register_implementation(prims.lerp, executor.opmap["lerp"])
    return executor


@wrap("max_pool2d_with_indices.meta")
def max_pool2d(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return original(*args, **kwargs) if guard_recorder() is None else _pooled(2, *args, **kwargs)


@wrap("max_pool3d_with_indices.meta")
def max_pool3d(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return original(*args, **kwargs) if guard_recorder() is None else _pooled(3, *args, **kwargs)


def _pooled(
    ndim: int,
    a: TensorProxy,
    /,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> tuple[TensorProxy, TensorProxy]:
    """Return the proxies of the maxima and of their indices; ``ndim`` trailing dims are pooled.

    Raises:
        RuntimeError: where a window does not fit.
    """
    strides = kernel_size if stride is None or stride == () else stride
    shape = list(a._shape[:-ndim])
    for axis in range(ndim):
        kernel, step, pad, spread = (_entry(x, axis) for x in (kernel_size, strides, padding, dilation))
        length = a._shape[axis - ndim]
        room = length + 2 * pad - spread * (kernel - 1) - 1
        pooled = (room + (step - 1 if ceil_mode else 0)) // step + 1
        if ceil_mode and (pooled - 1) * step >= length + pad:
            pooled = pooled - 1  # the last window has to start inside the tensor or its padding
        check(pooled >= 1, lambda: f"a window of {kernel} does not fit a dim of length {length}")  # noqa: B023
        shape.append(pooled)
    return TensorProxy(like=a, shape=shape), TensorProxy(like=a, shape=shape)


def _entry(setting: Any, axis: int) -> Any:
    if not isinstance(setting, (tuple, list)):
        return setting
    return setting[0] if len(setting) == 1 else setting[axis]
