"""Calls of a jitted callable that run the original function or module, as eager PyTorch does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import thunder
import torch


def eager_entry(function: Callable[..., Any], data: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return a cache entry whose computation is one eager call; autograd records it as it records any call.

    Args:
        function: the function or module that was jitted.
        data: the ``CompileData`` of the jitted callable.
        args: the arguments of the call.
        kwargs: its keyword arguments.
    """

    def compute() -> tuple[Any, ...]:
        if isinstance(function, torch.nn.Module):
            result = _call_module(function, data._thunder_module_map.get(id(function)), args, kwargs)
        else:
            result = function(*args, **kwargs)
        # After a call upstream sets the mode that it found before: what an eager call sets is meant to stay
        data.is_grad_enabled = torch.is_grad_enabled()
        return (result,)

    return thunder.CacheEntry(compute, [], compute, [], lambda result: result, [], None, [], False)


def _call_module(module: torch.nn.Module, jitted: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call ``module`` with the parameters and buffers that its jitted counterpart uses, and let that see new ones."""
    if jitted is None:
        return module(*args, **kwargs)
    own = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    used = {**jitted._overrides_parameters, **jitted._overrides_buffers}
    overridden = {name: value for name, value in used.items() if own.get(name) is not value}
    result = torch.func.functional_call(module, overridden, args, kwargs) if overridden else module(*args, **kwargs)
    for name, value in module.named_buffers():
        current = overridden.get(name, value)
        if jitted._overrides_buffers.get(name) is not current:
            jitted.set_buffer(name, current)
    return result
