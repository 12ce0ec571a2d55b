"""Tensors made from numbers, which upstream lacks."""

from __future__ import annotations

from typing import Any

import torch
from thunder.core.baseutils import check
from thunder.core.dtypes import is_exact_dtype, to_dtype
from thunder.core.langctxs import Languages, langctx
from thunder.core.symbol import Symbol
from thunder.core.transforms.python_numbers import maximum


def _eye(n: Any, m: Any = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Return ``n`` rows and ``m`` columns (as many as rows by default) with ones on the diagonal, zeros elsewhere."""
    from thunder import torch as ltorch

    _check_no_grad(requires_grad)
    rows = ltorch.arange(n, device=device)
    columns = rows if m is None else ltorch.arange(m, device=device)
    return ltorch.to(ltorch.unsqueeze(rows, 1) == columns, dtype or torch.get_default_dtype())


def _linspace(
    start: Any, end: Any, steps: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """Return ``steps`` numbers from ``start`` to ``end``, both included, at equal distances.

    Raises:
        RuntimeError: where ``steps`` is negative.
    """
    from thunder import torch as ltorch

    _check_no_grad(requires_grad)
    check(steps >= 0, lambda: f"linspace takes a number of steps of at least 0, got {steps}")
    dtype = dtype or torch.get_default_dtype()
    computed = torch.float64 if is_exact_dtype(to_dtype(dtype)) else dtype
    distance = (end - start) / maximum(steps - 1, 1)
    positions = ltorch.arange(steps, device=device)
    counted = ltorch.to(positions, computed)
    # From both ends, as torch does, so that the last is exactly the end
    ascending, descending = start + counted * distance, end - (steps - 1 - counted) * distance
    return ltorch.to(ltorch.where(positions < (steps + 1) // 2, ascending, descending), dtype)


def _check_no_grad(requires_grad: bool) -> None:
    if requires_grad:
        raise NotImplementedError("a tensor that requires grad cannot be made while tracing")


CREATED = {
    function: Symbol(name=function.__name__, meta=langctx(Languages.TORCH)(meta), id=f"torch.{function.__name__}")
    for function, meta in ((torch.eye, _eye), (torch.linspace, _linspace))
}
