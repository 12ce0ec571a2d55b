"""What a program asks of the type of a symbolic number: answered for the Python number that it stands for."""

from __future__ import annotations

import functools
import numbers
import types
import typing
from collections.abc import Callable
from typing import Any

from thunder.core import interpreter
from thunder.core.interpreter import get_interpreterruntimectx
from thunder.core.proxies import NumberProxy
from thunder.core.python_prims import kind_of
from thunder.core.transforms.python_arithmetic import operate, seen, value_of

_EXAMPLES: dict[type, Any] = {int: 7, float: 7.5, bool: True, complex: 7j}
_OPERATORS = {
    **{f"__{op}__": op for op in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "xor")},
    **{f"__{op}__": op for op in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert", "floor", "ceil")},
    "__and__": "and_",
    "__or__": "or_",
    "__trunc__": "trunc",
    "__int__": "to_int",
    "__float__": "to_float",
    "__round__": "round",
    "bit_length": "bit_length",
    "bit_count": "bit_count",
    "is_integer": "is_integer",
    "conjugate": "pos",
}
_REFLECTED = {f"__r{name[2:]}": op for name, op in _OPERATORS.items()}
_BY_TYPE = {type(cls).__instancecheck__ for cls in (int, numbers.Number, typing.SupportsInt)}


def _depends_on_type(classes: Any) -> bool:
    if isinstance(classes, tuple):
        return all(map(_depends_on_type, classes))
    if isinstance(classes, types.UnionType):
        return all(map(_depends_on_type, classes.__args__))
    return getattr(type(classes), "__instancecheck__", None) in _BY_TYPE


def is_instance(number: NumberProxy, classes: Any) -> bool:
    """Return what ``isinstance`` is of the number; a check of one's own may ask for the value."""
    return isinstance(_EXAMPLES[number.python_type] if _depends_on_type(classes) else value_of(number), classes)


def has_attribute(number: NumberProxy, name: str) -> bool:
    """Return what ``hasattr`` is of the number."""
    return hasattr(_EXAMPLES[number.python_type], name)


def type_of(number: NumberProxy) -> type:
    """Return what ``type`` is of the number."""
    return number.python_type


def attribute(number: NumberProxy, name: str, *default: Any) -> Any:
    """Return an attribute of the Python number that ``number`` stands for.

    Raises:
        AttributeError: numbers of this type have none of that name, and there is no ``default``.
        TypeError: the program subscripts the number.
    """
    kind = number.python_type
    if name == "__class__":
        return kind
    if not hasattr(_EXAMPLES[kind], name):
        if default:
            return default[0]
        if name == "__getitem__":
            raise TypeError(f"'{kind.__name__}' object is not subscriptable")
        raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
    if callable(getattr(_EXAMPLES[kind], name)):
        return functools.partial(call_method, number, name)
    if kind is complex or name.startswith("__"):
        return getattr(value_of(number), name)
    if name in ("real", "numerator"):
        return operate("pos", number)
    return getattr(_EXAMPLES[kind], name) * 0 if name == "imag" else 1


def call_method(number: NumberProxy, name: str, *args: Any, **kwargs: Any) -> Any:
    """Return what a method of the Python number yields.

    Args:
        number: what the method is called on.
        name: the name of the method.
        args: its arguments.
        kwargs: its keyword arguments.

    Raises:
        Exception: what Python raises.
    """
    op = _OPERATORS.get(name) or _REFLECTED.get(name)
    symbolic = op is not None and not kwargs and all(kind_of(x) is not None for x in args)
    if op is None or not symbolic or complex in map(kind_of, (number, *args)):
        return getattr(value_of(number), name)(*map(value_of, args), **{k: value_of(v) for k, v in kwargs.items()})
    if getattr(seen(number), name)(*map(seen, args)) is NotImplemented:
        return NotImplemented
    operands = (number, *args) if name in _OPERATORS else (*args, number)
    return operate("powmod" if op == "pow" and len(args) == 2 else op, *operands)


def method_of(function: Any) -> tuple[type, str] | None:
    """Return the type and the name of a method of Python's numbers, or None where ``function`` is none."""
    owner = getattr(function, "__objclass__", None)
    return (owner, function.__name__) if owner in (int, float, bool, complex) else None


def call_unbound(function: Callable[..., Any], number: Any, *args: Any, **kwargs: Any) -> Any:
    """Return what ``int.bit_length`` or another method of a type yields for ``number`` and ``args``."""
    found = method_of(function)
    assert found is not None
    if isinstance(number, NumberProxy) and issubclass(number.python_type, found[0]):
        return call_method(number, found[1], *args, **kwargs)
    return function(value_of(number), *map(value_of, args), **{k: value_of(v) for k, v in kwargs.items()})


def asked_by_interpreter() -> bool:
    """Return whether the call comes from upstream's own code for an instruction, not from the program."""
    frames = get_interpreterruntimectx().frame_stack
    return bool(frames) and frames[-1].code.co_filename == interpreter.__file__
