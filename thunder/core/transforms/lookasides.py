"""What the interpreter calls in place of a function that a program calls, where symbolic numbers are involved."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from thunder.core.compile_data import guard_recorder
from thunder.core.interpreter import WrappedValue, _interpret_call, do_raise, interpreter_needs_wrap, is_opaque
from thunder.core.jit_ext import record_source_loc_in_symbol_header
from thunder.core.proxies import NumberProxy
from thunder.core.transforms import python_types
from thunder.core.transforms.interpreted_builtins import INTERPRETED, numbered, positions_in_order
from thunder.core.transforms.python_builtins import symbolic_builtin
from thunder.core.transforms.python_calls import concrete_call, is_method_of_container, of_container, track_items

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def _truth(number: NumberProxy) -> bool:
    recorder = guard_recorder()
    assert recorder is not None
    return recorder.truth(number)


_OF_A_NUMBER: dict[Any, Callable[..., Any]] = {
    bool: _truth,
    type: python_types.type_of,
    isinstance: python_types.is_instance,
    getattr: python_types.attribute,
    hasattr: python_types.has_attribute,
}
ITERATING = frozenset([*INTERPRETED, math.prod, math.fsum])
_OPAQUE = (python_types.call_method, positions_in_order)


def _recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    return interpreter_needs_wrap(record_source_loc_in_symbol_header(function))


def _is_plain(argument: WrappedValue) -> bool:
    """Return whether an argument of a builtin holds constants only, which Python itself may work on."""
    value = argument.value
    items = value if type(value) in (list, tuple, range) else (value,)
    return all(type(item) in _PLAIN for item in items)


def lookaside_for(
    original: Callable[..., Any], function: Any, args: tuple[WrappedValue, ...], kwargs: dict[str, WrappedValue]
) -> Callable[..., Any] | None:
    """Return what to call in place of ``function``, or None where it is interpreted or called as it is.

    Args:
        original: upstream's answer to the same question.
        function: a hashable callable.
        args: its positional arguments.
        kwargs: its keyword arguments.
    """
    if isinstance(function, NumberProxy):
        if callable(function):
            return _recorded(function)
        return lambda *_, **__: do_raise(TypeError(f"'{function.python_type.__name__}' object is not callable"))
    if python_types.method_of(function) is not None:
        return _method(original, function, args, kwargs)
    of_number = bool(args) and isinstance(args[0].value, NumberProxy)
    if of_number and not kwargs:
        found = _answer_of_number(function, args)
        if found is not None:
            return found
    if function in _OPAQUE:
        return _recorded(function)
    arguments = (*args, *kwargs.values())
    if function in ITERATING:
        for argument in arguments:
            track_items(argument)
    symbolic = None if kwargs else symbolic_builtin(function, [arg.value for arg in args])
    if symbolic is not None:
        return _recorded(symbolic)
    if function in INTERPRETED and not all(map(_is_plain, arguments)):
        return lambda *args, **kwargs: _interpret_call(INTERPRETED[function], *args, **kwargs)
    if function is enumerate and any(isinstance(argument.value, NumberProxy) for argument in arguments):
        return lambda *args, **kwargs: _interpret_call(numbered, *args, **kwargs)
    lookaside = original(function, *args, **kwargs)
    if lookaside is not None:
        return of_container(function, lookaside) if is_method_of_container(function) else lookaside
    return concrete_call(function, args, kwargs) if is_opaque(function) else None


def _method(
    original: Callable[..., Any], function: Any, args: tuple[WrappedValue, ...], kwargs: dict[str, WrappedValue]
) -> Callable[..., Any] | None:
    numbers = any(isinstance(arg.value, NumberProxy) for arg in (*args, *kwargs.values()))
    # For an operator the interpreter asks the left operand, then the right one
    if not numbers or python_types.asked_by_interpreter():
        return original(function, *args, **kwargs)
    return _recorded(partial(python_types.call_unbound, function))


def _answer_of_number(function: Any, args: tuple[WrappedValue, ...]) -> Callable[..., Any] | None:
    answer = _OF_A_NUMBER.get(function)
    if answer is None or (function is type and (len(args) > 1 or python_types.asked_by_interpreter())):
        return None
    if function in (getattr, hasattr):
        name = args[1].value
        if not isinstance(name, str):
            return None
    return _recorded(answer)
