"""What instructions see of symbolic numbers: keys of dicts and sets are Python numbers, compared lists hold proxies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from thunder.core.baseutils import NumberProxyInterface
from thunder.core.interpreter import InterpreterStack, do_raise, wrap_const


def with_concrete_entries(
    handler: Callable[..., Any], inst: Any, stack: InterpreterStack, positions: Iterable[int], state: dict[str, Any]
) -> Any:
    """Call ``handler`` after guarding the symbolic numbers at ``positions`` of the stack to be what they are."""
    from thunder.core.compile_data import guard_recorder

    if guard_recorder() is not None:
        for position in positions:
            number = stack.getitem_wrapped(position).value
            if isinstance(number, NumberProxyInterface):
                stack._stack[position] = wrap_const(number.value)
    return handler(inst, stack=stack, **state)


def compare(handler: Callable[..., Any], inst: Any, stack: InterpreterStack, state: dict[str, Any]) -> Any:
    """Call ``handler`` on the two topmost entries; what Python raises on comparing them the program may catch."""
    from thunder.core.compile_data import guard_recorder

    if guard_recorder() is None:
        return handler(inst, stack=stack, **state)
    from thunder.core.transforms.python_calls import track_items

    for position in (-1, -2):
        track_items(stack.getitem_wrapped(position))
    try:
        return handler(inst, stack=stack, **state)
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        return do_raise(error)
