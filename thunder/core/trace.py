"""Patch to ``thunder.core.trace``: printing a trace decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thunder.core.compile_data import quietly
from thunder_symbolic.vocabulary import wrap


@wrap("TraceCtx.python")
@wrap("TraceCtx.python_ctx")
def print_quietly(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    return quietly(original, self, *args, **kwargs)
