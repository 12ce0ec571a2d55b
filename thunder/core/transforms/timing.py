"""Where compile time goes: seconds spent in our passes are added up in a function's compile stats."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from thunder.core.compile_data import _compile_data

P = ParamSpec("P")
R = TypeVar("R")


def timed(total: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Add the seconds of each call of the decorated function to the attribute ``total`` of the compile stats.

    Args:
        total: the attribute's name; where nothing is compiled, nothing is added.
    """

    def decorator(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            start = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                statistics = _compile_data.get()[1]
                if statistics is not None:
                    spent = statistics.__dict__.get(total, 0.0) + time.perf_counter() - start
                    statistics.__dict__[total] = spent

        return call

    return decorator
