"""Gradients of tensors without dims, which elementwise primitives take beside tensors of any shape."""

from __future__ import annotations

from typing import Any

from thunder.core import prims
from thunder.core.proxies import TensorProxy
from thunder.core.symbol import Symbol


class PutGrad(Symbol):
    """``put_grad``, where the gradient of a tensor without dims is the sum over what it was repeated to.

    On CPU upstream hands such tensors to elementwise primitives as they are. No broadcast stands in the trace whose
    gradient would be a sum, and the gradient arrives in the shape, and on the device, of the primitive's result.
    """

    def __call__(self, grad_for: Any, grad: Any) -> None:
        if isinstance(grad_for, TensorProxy) and isinstance(grad, TensorProxy) and not grad_for._shape:
            if grad._shape:
                grad = prims.sum(grad, tuple(range(len(grad._shape))))
            if grad.device != grad_for.device:
                grad = prims.device_put(grad, grad_for.device)
        return super().__call__(grad_for, grad)
