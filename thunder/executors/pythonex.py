"""Patch to ``thunder.executors.pythonex``: number primitives that upstream's Python executor lacks."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from numbers import Number
from typing import Any

from thunder.core import prims
from thunder.core.proxies import NumberProxy
from thunder.extend import OperatorExecutor
from thunder_symbolic.vocabulary import amend


def _takes_number(a: Any, *_: Any) -> bool:
    return isinstance(a, (Number, NumberProxy))


def _convert(a: Number, number_type: Callable[[Any], Number]) -> Number:
    return number_type(a)


_MISSING: dict[str, Callable[..., Any]] = {
    "convert_element_type": _convert,
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
    "round": builtins.round,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "expm1": math.expm1,
    "log": math.log,
    "log10": math.log10,
    "log1p": math.log1p,
    "log2": math.log2,
    "cos": math.cos,
    "cosh": math.cosh,
    "sin": math.sin,
    "sinh": math.sinh,
    "tan": math.tan,
    "tanh": math.tanh,
    "erf": math.erf,
    "erfc": math.erfc,
    "lgamma": math.lgamma,
}


@amend("ex")
def execute_numbers(executor: OperatorExecutor) -> OperatorExecutor:
    """Register Python implementations for numbers; tensors keep going to the other executors."""
    for name, function in _MISSING.items():
        primitive = getattr(prims, name)
        if primitive.id not in executor.implmap:
            operation = executor.register_operator(f"number_{name}", like=primitive, fn=function)
            executor.register_implementation(primitive, operation, checker=_takes_number)
    return executor
