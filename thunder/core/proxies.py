"""Patch to ``thunder.core.proxies``: shape accesses are recorded, values that Python reads are guarded."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from numbers import Number
from typing import Any

import torch
from thunder.core.compile_data import guard_recorder, quietly, using_symbolic_values
from thunder.core.langctxs import resolve_method
from thunder.core.proxies import IntegerProxy, NumberProxy, TensorProxy, is_tracing
from thunder_symbolic.vocabulary import add, replace, wrap


@replace("TensorProxy.shape")
def shape(self: TensorProxy) -> tuple[int | NumberProxy, ...]:
    """Return the dims; while the front end traces symbolic values this records an unpack."""
    recorder = guard_recorder()
    if recorder is None or not recorder.tracing:
        return self._shape
    from thunder.core.transforms.recording import unpack

    return unpack(self)


def _set_value(self: NumberProxy, value: Number | None) -> None:
    self._value = value


@add("NumberProxy.value", is_property=True, setter=_set_value)
def value(self: NumberProxy) -> Number | None:
    """Return the value seen while tracing: reading it is a decision of the program."""
    recorder = guard_recorder()
    if recorder is not None:
        recorder.read(self)
    return self._value


@wrap("NumberProxy.__init__")
def init(original: Callable[..., None], self: NumberProxy, *args: Any, **kwargs: Any) -> None:
    self._expression = None
    self._sources = None
    original(self, *args, **kwargs)


@wrap("NumberProxy.replace")
@wrap("IntegerProxy.replace")
@wrap("FloatProxy.replace")
@wrap("ComplexProxy.replace")
def keep_expression(original: Callable[..., NumberProxy], self: NumberProxy, **changes: Any) -> NumberProxy:
    recorder = guard_recorder()
    if recorder is None:
        return original(self, **changes)
    with recorder.quiet():
        new = original(self, **changes)
    if "value" not in changes and "python_type" not in changes:
        new._expression, new._sources = self._expression, self._sources
    return new


# What is only shown, or only asks whether a value is known, decides nothing.
@wrap("IntegerProxy.type_string")
@wrap("FloatProxy.type_string")
@wrap("ComplexProxy.type_string")
@wrap("NumberProxy.known_value")
@wrap("NumberProxy.make_static_constrained")
def read_quietly(original: Callable[..., Any], self: NumberProxy, *args: Any, **kwargs: Any) -> Any:
    return quietly(original, self, *args, **kwargs)


@wrap("NumberProxy.__bool__")
def truth(original: Callable[..., bool], self: NumberProxy) -> bool:
    recorder = guard_recorder()
    return original(self) if recorder is None else recorder.truth(self)


_UNARY = {"bitwise_not": "invert"}


@wrap("NumberProxy._elementwise_unary_helper")
def unary(original: Callable[..., Any], a: Any, name: str, fn: Callable[..., Any], kind: Any = None) -> Any:
    if guard_recorder() is None or not is_tracing():
        return original(a, name, fn, kind)
    from thunder.core.transforms.python_arithmetic import operate

    return operate(_UNARY.get(name, name), a)


_BINARY = {"true_divide": "truediv", "floor_divide": "floordiv"}
_BINARY |= {f"bitwise_{name}": op for name, op in (("and", "and_"), ("or", "or_"), ("xor", "xor"))}


_COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}


@wrap("NumberProxy._elementwise_binary_helper")
def binary(original: Callable[..., Any], a: Any, b: Any, name: str, fn: Callable[..., Any], kind: Any = None) -> Any:
    if guard_recorder() is None or not is_tracing():
        return original(a, b, name, fn, kind)
    if isinstance(b, TensorProxy) and name in _COMPARISONS:
        return NotImplemented  # PyTorch compares tensors with numbers, not numbers with tensors
    if isinstance(a, TensorProxy) or isinstance(b, TensorProxy):
        method = resolve_method(name, a, b)
        return NotImplemented if method is None else method(a, b)
    from thunder.core.transforms.python_arithmetic import binary

    return binary(_BINARY.get(name, name), fn, a, b)


def _asked(a: Any, b: Any, name: str, original: Callable[..., Any]) -> Any:
    """Return what a binary operator yields that upstream answers itself, or refuses."""
    if guard_recorder() is None or not is_tracing():
        return original(a, b)
    return NumberProxy._elementwise_binary_helper(a, b, name, getattr(operator, name))


@wrap("NumberProxy.__eq__")
def equal(original: Callable[..., Any], self: NumberProxy, other: Any) -> Any:
    return _asked(self, other, "eq", original)


@wrap("NumberProxy.__ne__")
def unequal(original: Callable[..., Any], self: NumberProxy, other: Any) -> Any:
    return _asked(self, other, "ne", original)


@wrap("NumberProxy.__lshift__")
def left_shift(original: Callable[..., Any], self: NumberProxy, other: Any) -> Any:
    return _asked(self, other, "lshift", original)


@wrap("NumberProxy.__rshift__")
def right_shift(original: Callable[..., Any], self: NumberProxy, other: Any) -> Any:
    return _asked(self, other, "rshift", original)


@wrap("NumberProxy.__rlshift__")
def left_shift_by(original: Callable[..., Any], self: NumberProxy, other: Any) -> Any:
    return _asked(other, self, "lshift", lambda other, self: original(self, other))


@wrap("NumberProxy.__rrshift__")
def right_shift_by(original: Callable[..., Any], self: NumberProxy, other: Any) -> Any:
    return _asked(other, self, "rshift", lambda other, self: original(self, other))


@wrap("NumberProxy.__matmul__")
@wrap("NumberProxy.__rmatmul__")
def matrix_product(original: Callable[..., Any], self: NumberProxy, other: Any) -> Any:
    return original(self, other) if guard_recorder() is None else NotImplemented


@wrap("NumberProxy.__round__")
def rounded(original: Callable[..., Any], self: NumberProxy, digits: Any = None) -> Any:
    """Return the number rounded half to even, as an int where ``digits`` is None."""
    if digits is None or guard_recorder() is None:
        return original(self)
    from thunder.core.transforms.python_arithmetic import operate

    return operate("round", self, digits)


@wrap("tensorproxy")
def tensorproxy(
    original: Callable[..., TensorProxy], t: torch.Tensor, /, *, name: str | None, history: Any = None
) -> TensorProxy:
    recorder = guard_recorder() if using_symbolic_values() else None
    if recorder is None:
        return original(t, name=name, history=history)
    from thunder.core.transforms.inputs import has_static_dims, path_of
    from thunder.core.transforms.layout import Layout
    from thunder.core.transforms.marks import dims_marked_static

    proxy = original(t, name=name, history=history)
    if history is not None:
        recorder.layouts[proxy.name] = Layout.of(t, path_of(history))
    if history is None or has_static_dims(t, history):
        proxy._shape = tuple(t.shape)
        proxy._numel = math.prod(t.shape)
        if history is not None:
            recorder.marks.add(t, path_of(history), {}, recorder.assume)
        return proxy
    path, static = path_of(history), dims_marked_static(t)
    proxy._shape = tuple(t.shape[index] if index in static else dim for index, dim in enumerate(proxy._shape))
    dims = {index: dim for index, dim in enumerate(proxy._shape) if index not in static}
    for index, dim in dims.items():
        dim._expression = recorder.new_symbol(f"{path}.shape[{index}]", int, lower=0)
    recorder.marks.add(t, path, {index: dim._expression for index, dim in dims.items()}, recorder.assume)
    recorder.add_input(proxy)
    return proxy


class NumelProxy(IntegerProxy):
    """A number of elements: PyTorch calls it (``a.numel()``), upstream's own code reads it as a number."""

    _plain: IntegerProxy

    @classmethod
    def of(cls, count: IntegerProxy) -> NumelProxy:
        """Return ``count``, under its own name, as a number that may be called."""
        new = cls.__new__(cls)
        new.__dict__.update(count.__dict__, _plain=count)
        return new

    # Looking up what to call hashes the callee: that is no decision on its value
    __hash__ = object.__hash__

    def __call__(self, *_: Any) -> IntegerProxy:
        return self._plain


def _product(shape: Sequence[Any]) -> Any:
    return reduce(operator.mul, shape, 1)


def _set_numel(self: TensorProxy, count: Any) -> None:
    # Upstream stores a function where dims are symbolic: their product is taken from the shape instead
    self._count = count if isinstance(count, int) else None


@add("TensorProxy._numel", is_property=True, setter=_set_numel)
def numel(self: TensorProxy) -> Any:
    """Return the number of elements: with symbolic dims, the product of the dims that ``shape`` records."""
    if self._count is not None:
        return self._count
    if guard_recorder() is None or not is_tracing():
        return lambda *_: _product(self._shape)
    from thunder.core.transforms.recording import records, unrecorded_count

    count = _product(self.shape) if records() else unrecorded_count(self, _product)
    return NumelProxy.of(count) if type(count) is IntegerProxy else count


@wrap("TensorProxy.type_string")
def type_string(original: Callable[[TensorProxy], str], self: TensorProxy) -> str:
    """Show symbolic dims by their names."""
    if not any(isinstance(dim, NumberProxy) for dim in self._shape):
        return original(self)
    dims = ", ".join(dim.name if isinstance(dim, NumberProxy) else str(dim) for dim in self._shape)
    return f"{self.device.device_str()} {self.dtype.shortname()}[{dims}]"


@wrap("TensorProxy.__len__")
def length(original: Callable[[TensorProxy], Any], self: TensorProxy) -> Any:
    """Return the first dim as the Python integer that ``len`` insists on."""
    first = original(self)
    return operator.index(first) if isinstance(first, IntegerProxy) else first


@wrap("IntegerProxy.__repr__")
@wrap("FloatProxy.__repr__")
def representation(original: Callable[[NumberProxy], str], self: NumberProxy) -> str:
    """Return the text of the value where the program asks for it, and a description of the proxy elsewhere."""
    recorder = guard_recorder()
    return repr(self.value) if recorder is not None and recorder.seen_by_program else quietly(original, self)


@add("NumberProxy.__str__")
def as_text(self: NumberProxy) -> str:
    """Return the text of the value: a program that formats a number decides on it."""
    return repr(self) if guard_recorder() is None else str(self.value)


@add("NumberProxy.__format__")
def formatted(self: NumberProxy, specification: str) -> str:
    """Return the value formatted: a program that formats a number decides on it."""
    return object.__format__(self, specification) if guard_recorder() is None else format(self.value, specification)


@add("NumberProxy.__getstate__")
def state(self: NumberProxy) -> dict[str, Any]:
    """Return what is pickled: an expression means something only beside the compilation it was made in."""
    return {**self.__dict__, "_expression": None, "_sources": None}
