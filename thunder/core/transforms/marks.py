"""What ``torch._dynamo.mark_dynamic``, ``mark_static`` and ``maybe_mark_dynamic`` say about an input's dims.

PyTorch keeps the marks as attributes of the tensor, so that nothing of ``torch._dynamo`` is imported to read them. A
dim is dynamic unless it is marked static: ``maybe_mark_dynamic`` asks for what happens anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from thunder.core.transforms.expressions import Expression, apply, constant

if TYPE_CHECKING:
    from thunder.core.transforms.guards import Guard

_Range = tuple[int | None, int | None]
DYNAMIC = "_dynamo_dynamic_indices"


class MarkedDimError(ValueError):
    """A program or a call contradicts what a dim was marked with; nothing was compiled or cached."""


def dims_marked_dynamic(t: torch.Tensor) -> dict[int, _Range]:
    """Return the dims that ``mark_dynamic`` names, each with the least and the greatest size it may have."""
    ranges = {r.dim: (r.min, r.max) for r in getattr(t, "_dynamo_dynamic_range", ())}
    return {dim: ranges.get(dim, (None, None)) for dim in getattr(t, DYNAMIC, ())}


def dims_marked_static(t: torch.Tensor) -> set[int]:
    """Return the dims that ``mark_static`` names and ``mark_dynamic`` does not, which has precedence."""
    return set(getattr(t, "_dynamo_static_indices", ())) - set(getattr(t, DYNAMIC, ()))


def contradicts(t: torch.Tensor, fixed: frozenset[int]) -> bool:
    """Return whether one of the dims ``fixed`` of ``t`` is marked dynamic."""
    return not fixed.isdisjoint(getattr(t, DYNAMIC, ()))


@dataclass
class Marks:
    """The dims that are marked dynamic while a specialization is compiled, and what contradicts them.

    Attributes:
        errors: what to tell the user, in the order in which it was noticed.
    """

    errors: list[str] = field(default_factory=list)
    _dynamic: dict[Expression, tuple[str, int]] = field(default_factory=dict)

    def add(
        self, t: torch.Tensor, path: str, dims: dict[int, Expression], assume: Callable[[Expression], None]
    ) -> None:
        """Take the marks of an input.

        Args:
            t: the tensor.
            path: its name.
            dims: the symbol of each dim that may vary.
            assume: records what the ranges say, as guards.
        """
        for dim, (least, greatest) in dims_marked_dynamic(t).items():
            self._check_dim(t, path, dim)
            if dim not in dims:
                if dim < t.ndim:
                    self._complain(path, dim, "the sizes of parameters and buffers are compiled in")
                continue
            size = t.shape[dim]
            if (least is not None and size < least) or (greatest is not None and size > greatest):
                self._complain(path, dim, f"its size {size} is not between {least} and {greatest}, as the mark says")
                continue
            if least is not None:
                assume(apply("ge", dims[dim], constant(least)))
            if greatest is not None:
                assume(apply("le", dims[dim], constant(greatest)))
            if least is None or least != greatest:
                self._dynamic[dims[dim]] = f"dim {dim} of {path}", size
        for dim in dims_marked_static(t):
            self._check_dim(t, path, dim)

    def _check_dim(self, t: torch.Tensor, path: str, dim: int) -> None:
        if not 0 <= dim < t.ndim:
            self.errors.append(f"dim {dim} of {path} was marked, but {path} has {t.ndim} dims, counted from 0")

    def _complain(self, path: str, dim: int, why: str) -> None:
        self.errors.append(f"dim {dim} of {path} was marked dynamic, but {why}")

    def see(self, guard: Guard, holds: Callable[[Expression], bool | None]) -> None:
        """Notice if ``guard``, which was just recorded, fixes a dim that is marked dynamic.

        Args:
            guard: the decision.
            holds: tells whether an expression follows from the guards so far.
        """
        for symbol, (dim, size) in list(self._dynamic.items()):
            if holds(apply("eq", symbol, constant(size))):
                del self._dynamic[symbol]
                self.errors.append(
                    f"{dim} was marked dynamic, but the program fixes it to {size}: it needs {guard}. Write that line "
                    "so that it holds for more than one size, or mark with torch._dynamo.maybe_mark_dynamic"
                )

    def raise_errors(self) -> None:
        """Raise MarkedDimError if something contradicts the marks."""
        if self.errors:
            raise MarkedDimError("; ".join(self.errors))
