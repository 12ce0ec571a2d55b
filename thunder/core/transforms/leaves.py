"""Values that are neither tensors, numbers nor containers: how the next call's is recognised as the same."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from types import BuiltinFunctionType, EllipsisType, FunctionType, ModuleType, NoneType, NotImplementedType
from typing import Any, Literal

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


@dataclass(frozen=True)
class Comparison:
    """Tells whether a call's leaf is the same as the one that a specialization was compiled for.

    Args:
        how: ``is`` the object, ``==`` it and of its type, or of the ``type``.
        value: the object; the type where only that is compared.
    """

    how: Literal["is", "==", "type"]
    value: Any

    def __call__(self, other: Any) -> bool:
        if self.how == "is":
            return other is self.value
        if self.how == "type":
            return type(other) is self.value
        return type(other) is type(self.value) and bool(other == self.value)

    # Two comparisons are one where they are with one object
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comparison) and self.how == other.how and self.value is other.value

    def __hash__(self) -> int:
        return hash((self.how, id(self.value)))


def comparison(value: Any) -> Comparison | None:
    """Return what compares a call's leaf with ``value``, or None where it is compared elsewhere."""
    if isinstance(value, _SINGLE):
        return Comparison("is", value)
    if isinstance(value, _ELSEWHERE):
        return None
    if isinstance(value, _EQUAL):
        return Comparison("==", value)
    return Comparison("type", type(value))
