"""The elementwise operations of two and three tensors that Thunder knows, found by what they do."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch
from thunder.torch import _torch_to_thunder_function_map

_FLOATS = torch.tensor([0.3, 0.6, 0.9])
_VALUES = {
    torch.float32: _FLOATS,
    torch.int64: torch.tensor([1, 2, 3]),
    torch.bool: torch.tensor([True, False, True]),
}


def _is_random(name: str) -> bool:
    packet = getattr(torch.ops.aten, name, None)
    is_operator = isinstance(packet, torch._ops.OpOverloadPacket)
    overloads = [getattr(packet, overload) for overload in packet.overloads()] if is_operator else []
    return any(torch.Tag.nondeterministic_seeded in overload.tags for overload in overloads)


def _is_elementwise(function: Callable[..., Any], dtypes: tuple[torch.dtype, ...]) -> bool:
    """Return whether each element of the result is ``function`` of one element of each argument."""
    count = len(dtypes)
    vectors = [_VALUES[dtype] for dtype in dtypes]
    along = [v.reshape([-1 if axis == i else 1 for axis in range(count)]) for i, v in enumerate(vectors)]
    try:
        together, alike = function(*along), function(*vectors)
        mixed = function(vectors[0], *[v[0] for v in vectors[1:]])
        single = [function(*elements) for elements in itertools.product(*vectors)]
    except Exception:
        return False
    if not all(isinstance(result, torch.Tensor) for result in (together, alike, mixed, *single)):
        return False
    if together.shape != (3,) * count or alike.shape != (3,) or mixed.shape != (3,):
        return False
    return all(torch.equal(one.to(together.dtype), expected) for one, expected in zip(single, together.flatten()))


def elementwise_operations() -> dict[str, tuple[Callable[..., Any], tuple[torch.dtype, ...]]]:
    """Return name -> (torch function, dtypes that it takes), one for each name in Thunder's table."""
    found: dict[str, tuple[Callable[..., Any], tuple[torch.dtype, ...]]] = {}
    for count in (2, 3):
        for function in _torch_to_thunder_function_map:
            name = getattr(function, "__name__", "")
            if not name or name in found or _is_random(name):
                continue
            for dtypes in itertools.product(_VALUES, repeat=count):
                if _is_elementwise(function, dtypes):
                    found[name] = function, dtypes
                    break
    return found
