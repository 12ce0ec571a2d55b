"""Patch to ``thunder.executors.torch_autograd``: a backward that reads none of its gradients lets go of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thunder_symbolic.vocabulary import wrap


@wrap("connect_to_autograd")
def connect_to_autograd(original: Callable[..., Any], *, backward_fn: Callable[..., Any], **options: Any) -> Any:
    """Connect outputs to ``backward_fn``, which upstream expects to empty the lists that it is given.

    One whose result does not depend on a list, as for tensors without elements, holds nothing that empties it.
    """

    def backward(saved: list[Any], gradients: list[Any]) -> Any:
        tensors = saved[0]
        results = backward_fn(saved, gradients)
        gradients.clear()
        tensors.clear()
        return results

    return original(backward_fn=backward, **options)
