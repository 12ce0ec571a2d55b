"""Values that are neither tensors, numbers nor containers: how the next call's is recognised as the same."""

from __future__ import annotations

import enum
from collections.abc import Callable
from types import BuiltinFunctionType, EllipsisType, FunctionType, ModuleType, NoneType, NotImplementedType
from typing import Any

import torch

# One object stands for one value
_SINGLE = (
    NoneType,
    EllipsisType,
    NotImplementedType,
    enum.Enum,
    torch.dtype,
    torch.layout,
    torch.memory_format,
    type,
    FunctionType,
    BuiltinFunctionType,
    ModuleType,
)
# Equal objects of one type cannot be told apart
_EQUAL = (bytes, range, frozenset, torch.Size)
# Compared elsewhere: by metadata, by guards on numbers, or through their provenance
_ELSEWHERE = (torch.Tensor, bool, int, float, complex, str, slice, torch.device)


def comparison(value: Any) -> Callable[[Any], bool] | None:
    """Return what tells whether a call's leaf is the same as ``value``, or None where it is compared elsewhere."""
    kind = type(value)
    if isinstance(value, _SINGLE):
        return lambda other: other is value
    if isinstance(value, _ELSEWHERE):
        return None
    if isinstance(value, _EQUAL):
        return lambda other: type(other) is kind and bool(other == value)
    return lambda other: type(other) is kind
