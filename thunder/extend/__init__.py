"""Patch to ``thunder.extend``: numbers are computed beside fused regions, which take them as scalars."""

from __future__ import annotations

from collections.abc import Callable

from thunder.core.compile_data import using_symbolic_values
from thunder.core.symbol import BoundSymbol
from thunder.extend import Executor
from thunder_symbolic.vocabulary import wrap


@wrap("Executor.can_fuse")
def can_fuse(original: Callable[..., bool], self: Executor, bsym: BoundSymbol) -> bool:
    if using_symbolic_values():
        from thunder.core.transforms.number_operations import is_pure_number_operation

        # A region of tensors cannot return the number that others need
        if is_pure_number_operation(bsym):
            return False
    return original(self, bsym)
