"""Patch to ``thunder.core.interpreter``: programs are interpreted faster, for every cache option."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from thunder.core.direct_calls import (
    direct_bound_method,
    direct_length,
    direct_method,
    direct_subscript,
    direct_truth,
)
from thunder.core.instructions import compare, with_concrete_entries
from thunder.core.interpreter import (
    InterpreterCompileCtx,
    InterpreterFrame,
    InterpreterRuntimeCtx,
    InterpreterStack,
    WrappedValue,
    check_and_append,
    check_signal,
    unwrap,
    wrap_const,
)
from thunder.core.memoized import memoized_dis
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
def subscript(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    return _on_top_two(direct_subscript, -2, -1, original, inst, stack, state)


@wrap("_contains_op_handler")
def contains(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    if inst.arg == 1 or not isinstance(stack.getitem_wrapped(-2), WrappedValue):  # `not in` negates what `in` says
        return original(inst, stack=stack, **state)
    return _on_top_two(lambda *args: direct_method("__contains__", *args), -1, -2, original, inst, stack, state)


def _on_top_two(
    direct: Callable[..., Any],
    container: int,
    argument: int,
    original: Callable[..., Any],
    inst: Any,
    stack: InterpreterStack,
    state: dict[str, Any],
) -> Any:
    found = direct(stack.getitem_wrapped(container), stack.getitem_wrapped(argument))
    if found is None:
        return original(inst, stack=stack, **state)
    stack.pop_wrapped()
    stack.pop_wrapped()
    return check_and_append(stack, found)


@wrap("_list_extend_handler")
def extend_list(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    extended = direct_method("extend", stack.getitem_wrapped(-inst.arg - 1), stack.getitem_wrapped(-1))
    if extended is None:
        return original(inst, stack=stack, **state)
    stack.pop_wrapped()
    return check_signal(extended)


@wrap("_dict_merge_handler")
def merge_keywords(original: Callable[..., Any], inst: Any, /, stack: InterpreterStack, **state: Any) -> Any:
    new, keywords = stack.getitem_wrapped(-1), stack.getitem_wrapped(-2)
    if unwrap(keywords).keys() & unwrap(new):
        return original(inst, stack=stack, **state)
    merged = direct_method("update", keywords, new)
    if merged is None:
        return original(inst, stack=stack, **state)
    stack.pop_wrapped()
    return check_signal(merged)


@wrap("wrap_args_from_list")
def items(original: Callable[..., Any], sequence: Any) -> list[Any]:
    found = [direct_subscript(sequence, wrap_const(index)) for index in range(len(unwrap(sequence)))]
    return original(sequence) if None in found else found


@wrap("wrap_kwargs_from_dict")
def keywords(original: Callable[..., Any], mapping: Any) -> dict[str, Any]:
    found = {key: direct_subscript(mapping, wrap_const(key)) for key in unwrap(mapping)}
    return original(mapping) if None in found.values() else found


@wrap("_len_lookaside")
def length(original: Callable[..., Any], obj: Any) -> Any:
    found = direct_length(obj)
    return original(obj) if found is None else found


@wrap("_bool_lookaside")
def truth(original: Callable[..., Any], x: Any) -> Any:
    found = direct_truth(x)
    return original(x) if found is None else found


@wrap("_call_dispatch")
def call_dispatch(
    original: Callable[..., Any],
    compilectx: InterpreterCompileCtx,
    runtimectx: InterpreterRuntimeCtx,
    fn: Any,
    /,
    *args: Any,
    **kwargs: Any,
) -> Any:
    is_method = isinstance(fn, WrappedValue) and inspect.ismethod(fn.value)
    # What Thunder has compiled is interpreted from the function that it was made of
    if is_method and not runtimectx._record_history and not hasattr(fn.value, "__thunder_interpreter_orig_fn"):
        return direct_bound_method(fn, *args, **kwargs)
    return original(compilectx, runtimectx, fn, *args, **kwargs)


@wrap("InterpreterFrame.get_or_make_python_frame")
def python_frame(original: Callable[..., FrameType], self: InterpreterFrame) -> FrameType:
    """Return a frame of Python's that tracebacks show at the position of this one.

    It is made on a thread of its own, so that no frame of the interpreter is behind it. Upstream asks in a loop
    whether the thread is done, which keeps it from running.
    """
    if sys.version_info < (3, 11):
        return original(self)
    assert self.positions is not None
    first = self.code.co_firstlineno
    line = first if self.positions.lineno is None else self.positions.lineno
    source = "\n" * (line - first) + "raise StopIteration"
    code = compile(source, self.code.co_filename, "exec").replace(
        co_firstlineno=first, co_name=self.code.co_name, co_qualname=self.qualname
    )
    made: list[FrameType] = []

    def run() -> None:
        try:
            exec(code, {})
        except StopIteration as stop:
            assert stop.__traceback__ is not None and stop.__traceback__.tb_next is not None
            made.append(stop.__traceback__.tb_next.tb_frame)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return made[0]


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
