"""Calls that the interpreter cannot look into: what they see of symbolic numbers is a decision, and guarded."""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Iterator
from typing import Any

from thunder.core.baseutils import ProxyInterface
from thunder.core.interpreter import WrappedValue, do_raise, interpreter_needs_wrap, is_opaque, wrap_const
from thunder.core.jit_ext import get_jit_ctx, record_source_loc_in_symbol_header
from thunder.core.proxies import NumberProxy, TensorProxy
from thunder.core.transforms.python_arithmetic import value_of

_TRACKED = (list, tuple, dict)
_INDEXED = {
    getattr(container, name)
    for container in (list, tuple)
    for name in ("__getitem__", "__setitem__", "__delitem__", "pop", "__mul__", "__rmul__")
    if hasattr(container, name)
}

# These hand numbers on, or ask them through the operators that proxies answer
_OWNERS = (
    *(list, tuple, dict, set, frozenset, slice, object, type, map, filter, zip, enumerate, functools.partial),
    *(types.CellType, types.GeneratorType, property),
    *(item for item in vars(itertools).values() if isinstance(item, type)),
)
_MODULES = frozenset(["_operator", "_functools", "itertools", "_collections"])
_FUNCTIONS = frozenset([callable, id, isinstance, issubclass, hasattr, getattr, setattr, print, iter, next, hash])


def track_items(argument: WrappedValue, within: frozenset[int] = frozenset()) -> bool:
    """Let a list, tuple or dict of inputs hold their proxies, at any depth, and return whether there are any."""
    value = argument.value
    if argument.original_value is not argument.nothing or isinstance(value, ProxyInterface):
        return True
    if type(value) not in _TRACKED or id(value) in within:
        return False
    argument.track_items()
    wrappers = argument.item_wrappers
    items = wrappers.values() if isinstance(wrappers, dict) else wrappers
    found = [track_items(item, within | {id(value)}) for item in items]
    if any(found) and any(a is not b.value for a, b in zip(_items(value), items)):
        get_jit_ctx().proxify(argument)
        return True
    return any(found)


def _items(container: Any) -> Iterator[Any]:
    return iter(container.values() if isinstance(container, dict) else container)


def _owner(function: Any) -> Any:
    owner = getattr(function, "__objclass__", None)
    bound = getattr(function, "__self__", None)
    return bound if owner is None and isinstance(bound, type) else owner


def hands_on(function: Any) -> bool:
    """Return whether an opaque ``function`` may receive symbolic numbers as they are."""
    owner = _owner(function)
    module = getattr(function if owner is None else owner, "__module__", None) or ""
    if module.partition(".")[0] in ("torch", "thunder") or module in _MODULES:
        return True
    return owner in _OWNERS or (is_opaque(function) and function in _FUNCTIONS)


def concrete_call(
    function: Any, args: tuple[WrappedValue, ...], kwargs: dict[str, WrappedValue]
) -> Callable[..., Any] | None:
    """Return what calls an opaque ``function`` on the values of symbolic numbers, or None where it gets none.

    Args:
        function: a callable that the interpreter cannot look into.
        args: its positional arguments: containers among them hold their proxies from now on.
        kwargs: its keyword arguments.
    """
    arguments = (*args, *kwargs.values())
    if hands_on(function) or any(isinstance(argument.value, TensorProxy) for argument in arguments):
        return None
    for argument in arguments:
        track_items(argument)
    if not any(isinstance(argument.value, NumberProxy) for argument in arguments):
        return None

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*map(value_of, args), **{name: value_of(value) for name, value in kwargs.items()})

    return interpreter_needs_wrap(record_source_loc_in_symbol_header(call))


def of_container(function: Any, lookaside: Callable[..., Any]) -> Callable[..., Any]:
    """Return upstream's ``lookaside`` for a method of lists, tuples or dicts: its errors are the program's.

    A symbolic index or count is guarded to be the one it is.
    """

    def call(*args: WrappedValue, **kwargs: WrappedValue) -> Any:
        if len(args) > 1 and isinstance(args[1].value, NumberProxy) and function in _INDEXED:
            args = (args[0], wrap_const(value_of(args[1].value)), *args[2:])
        try:
            return lookaside(*args, **kwargs)
        except (TypeError, ValueError, LookupError, ArithmeticError) as error:
            return do_raise(error)

    return call


def is_method_of_container(function: Any) -> bool:
    """Return whether ``function`` is a method of lists, tuples or dicts."""
    return getattr(function, "__objclass__", None) in _TRACKED
