"""What a program asks about the layout of a tensor: the answer is eager's, and guarded.

An input's layout is that of the call's tensor. Its guard is recorded where the program asks, and says as little as
answers the question. The layout of a computed tensor follows from torch's own rules, run on fake tensors from the
inputs on; what torch decides on dims on the way becomes a guard, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch
from thunder.core.compile_data import guard_recorder
from thunder.core.devices import Device, to_torch_device
from thunder.core.dtypes import dtype, to_torch_dtype
from thunder.core.proxies import TensorProxy
from thunder.core.pytree import tree_map
from thunder.core.symbol import BoundSymbol
from thunder.core.trace import get_tracectx
from thunder.core.transforms.expressions import Expression, apply, constant
from thunder.core.transforms.fake_shapes import FakeShapes
from thunder.core.transforms.number_operations import expression_of
from thunder.core.transforms.python_numbers import maximum
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode


class UnknownLayout(RuntimeError):
    """The program asks for the layout of a tensor whose computation torch's rules cannot follow."""


def _new_strides(shape: Sequence[Any]) -> list[Any]:
    """Return the strides that torch gives a new tensor of ``shape``."""
    strides: list[Any] = []
    stride: Any = 1
    for dim in reversed(shape):
        strides.insert(0, stride)
        stride = stride * (dim if isinstance(dim, int) and dim > 0 else maximum(dim, 1))
    return strides


@dataclass(frozen=True)
class Layout:
    """The layout of an input, and the symbols by which guards read that of another call's.

    Args:
        path: the input's name for people.
        tensor: the input, or its like on the device ``meta``, which holds no memory.
        symbols: question, as Python on the tensor, -> the symbol of its answer.
    """

    path: str
    tensor: torch.Tensor
    symbols: dict[str, Expression]

    @classmethod
    def of(cls, t: torch.Tensor, path: str) -> Layout:
        """Return the layout of ``t``, called ``path``."""
        if t.layout is torch.strided and not isinstance(t, FakeTensor):
            t = torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device="meta")
        return cls(path, t, {})

    @property
    def order(self) -> list[int] | None:
        """The order of dims in which the strides are those of a new tensor, or None where there is no such order."""
        strides, shape = self.tensor.stride(), self.tensor.shape
        order = sorted(range(len(shape)), key=lambda axis: -strides[axis])
        return order if [strides[axis] for axis in order] == _new_strides([shape[axis] for axis in order]) else None


def _ask(a: TensorProxy, question: str, kind: type) -> Expression:
    """Return the symbol for the answer that input ``a`` gives to ``question`` in another call."""
    recorder = guard_recorder()
    assert recorder is not None
    layout = recorder.layouts[a.name]
    if question not in layout.symbols:
        layout.symbols[question] = recorder.new_symbol(f"{layout.path}.{question}", kind)
        recorder.add_input(a)
    return layout.symbols[question]


def _require_equal(symbol: Expression, value: Any) -> None:
    recorder, expression = guard_recorder(), expression_of(value)
    assert recorder is not None
    recorder.require(apply("eq", symbol, constant(value) if expression is None else expression))


def _input_strides(a: TensorProxy) -> tuple[Any, ...]:
    """Return the strides of input ``a``: by its dims where they are those of a new tensor, permuted or not."""
    recorder = guard_recorder()
    assert recorder is not None
    layout = recorder.layouts[a.name]
    strides: list[Any] = list(layout.tensor.stride())
    order = layout.order
    if order is not None:
        shape = a.shape
        for axis, stride in zip(order, _new_strides([shape[axis] for axis in order])):
            strides[axis] = stride
    for axis, stride in enumerate(strides):
        _require_equal(_ask(a, f"stride({axis})", int), stride)
    return tuple(strides)


def _producer(a: TensorProxy) -> BoundSymbol | None:
    trace = get_tracectx()
    assert trace is not None
    for scope in trace.scopes:
        for bsym in scope:
            if any(output.name == a.name for output in bsym.flat_proxy_outs):
                return bsym
    return None


def _torch_function(bsym: BoundSymbol) -> Callable[..., Any] | None:
    path = bsym.sym.id
    if not isinstance(path, str) or not path.startswith("torch."):
        return None
    try:
        return reduce(getattr, path.split(".")[1:], torch)  # type: ignore[arg-type]
    except AttributeError:
        return getattr(torch.Tensor, path.rpartition(".")[2], None)


class _Follower:
    """Makes fake tensors with the layouts of a trace's tensors."""

    def __init__(self) -> None:
        self.shapes = FakeShapes()
        self._known: dict[str, Any] = {}

    def fake(self, a: TensorProxy) -> torch.Tensor:
        if a.name not in self._known:
            recorder = guard_recorder()
            assert recorder is not None
            if a.name in recorder.layouts:
                self._known[a.name] = self._input(a)
            else:
                self._compute(a)
        return self._known[a.name]

    def _input(self, a: TensorProxy) -> torch.Tensor:
        recorder = guard_recorder()
        assert recorder is not None
        order, strides = recorder.layouts[a.name].order, _input_strides(a)
        new, sizes = self.shapes.tensor(a), [self.shapes.integer(dim) for dim in a._shape]
        if order is None:
            return new.new_empty_strided(sizes, strides)
        return new.new_empty([sizes[axis] for axis in order]).permute([order.index(axis) for axis in range(len(order))])

    def _compute(self, a: TensorProxy) -> None:
        bsym = _producer(a)
        function = None if bsym is None else _torch_function(bsym)
        if bsym is None or function is None:
            what = "nothing in the trace" if bsym is None else bsym.sym.name
            raise UnknownLayout(f"the layout of the result of {what} is not known while tracing")
        try:
            outputs = function(*tree_map(self._argument, bsym.args), **tree_map(self._argument, bsym.kwargs))
        except NotImplementedError as error:
            raise UnknownLayout(f"the layout of the result of {bsym.sym.name} is not known: {error}") from error
        flat = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
        proxies = [output for output in bsym.flat_outs if isinstance(output, TensorProxy)]
        self._known |= {proxy.name: fake for proxy, fake in zip(proxies, flat, strict=True)}

    def _argument(self, argument: Any) -> Any:
        if isinstance(argument, TensorProxy):
            return self.fake(argument)
        if isinstance(argument, Device):
            return to_torch_device(argument)
        if isinstance(argument, dtype):
            return to_torch_dtype(argument)
        return self.shapes.integer(argument)


def _on_fake(a: TensorProxy, ask: Callable[[torch.Tensor, FakeShapes], Any]) -> Any:
    """Return what ``ask`` says of a fake tensor with the layout of ``a``; what torch decided becomes guards."""
    follower = _Follower()
    with FakeTensorMode(allow_non_fake_inputs=True):
        answer = ask(follower.fake(a), follower.shapes)
    follower.shapes.decide()
    return tree_map(follower.shapes.number, answer)


def stride(a: TensorProxy, dim: Any = None) -> Any:
    """Return the strides of ``a``, in elements, or the one of ``dim``.

    Raises:
        UnknownLayout: where ``a`` is computed by what torch's rules cannot follow.
    """
    recorder = guard_recorder()
    assert recorder is not None
    known = _input_strides(a) if a.name in recorder.layouts else _on_fake(a, lambda fake, _: tuple(fake.stride()))
    return known if dim is None else known[dim]


def is_contiguous(a: TensorProxy, memory_format: torch.memory_format = torch.contiguous_format) -> bool:
    """Return whether the elements of ``a`` lie in the order of ``memory_format``, without gaps.

    Raises:
        UnknownLayout: where ``a`` is computed by what torch's rules cannot follow.
    """
    recorder = guard_recorder()
    assert recorder is not None
    if a.name not in recorder.layouts:
        return _on_fake(a, lambda fake, _: fake.is_contiguous(memory_format=memory_format))
    answer = recorder.layouts[a.name].tensor.is_contiguous(memory_format=memory_format)
    plain = memory_format is torch.contiguous_format
    symbol = _ask(a, "is_contiguous()" if plain else f"is_contiguous(memory_format={memory_format})", bool)
    taken = apply("to_bool", symbol)
    recorder.require(taken if answer else apply("not_", taken))
    return answer
