"""Patch to ``thunder.core.interpreter``: programs are interpreted faster, for every cache option."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from thunder.core.disassembly import memoized_dis
from thunder.core.instructions import compare, with_concrete_entries
from thunder.core.interpreter import InterpreterStack, check_and_append, unwrap, wrap_const
from thunder.core.subscripts import direct_subscript
from thunder_symbolic.vocabulary import amend, wrap


@amend("dis")
def disassembly(original: ModuleType) -> ModuleType:
    return memoized_dis()


@wrap("globals_lookup")
def globals_lookup(original: Callable[..., Any], globals_dict: Any, name: Any) -> Any:
    """Return the global, else the builtin, called ``name``; ``original`` says what is wrong where there is none."""
    key, found = unwrap(name), None
    if key in unwrap(globals_dict):
        found = direct_subscript(globals_dict, name)
    elif "__builtins__" in unwrap(globals_dict):
        builtins = direct_subscript(globals_dict, wrap_const("__builtins__"))
        if builtins is not None and type(unwrap(builtins)) is dict and key in unwrap(builtins):
            found = direct_subscript(builtins, name)
    return original(globals_dict, name) if found is None else found


@wrap("_binary_subscr_handler")
def binary_subscript(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    found = direct_subscript(stack.getitem_wrapped(-2), stack.getitem_wrapped(-1))
    if found is None:
        return original(inst, stack=stack, **state)
    stack.pop_wrapped()
    stack.pop_wrapped()
    return check_and_append(stack, found)


@wrap("_compare_op_handler")
def comparison(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    return compare(original, inst, stack, state)


@wrap("_build_map_handler")
def build_map(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    return with_concrete_entries(original, inst, stack, range(-2 * inst.arg, 0, 2), state)


@wrap("_build_set_handler")
def build_set(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    return with_concrete_entries(original, inst, stack, range(-inst.arg, 0), state)


@wrap("_map_add_handler")
def add_to_map(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    return with_concrete_entries(original, inst, stack, [-2], state)


@wrap("_set_add_handler")
def add_to_set(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    return with_concrete_entries(original, inst, stack, [-1], state)


@wrap("_store_subscr_handler")
def store_subscript(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    is_container = isinstance(stack.getitem_wrapped(-2).value, (list, dict))
    return with_concrete_entries(original, inst, stack, [-1] if is_container else [], state)
