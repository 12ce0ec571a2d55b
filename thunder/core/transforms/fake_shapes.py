"""Shapes of operations that upstream registers by running torch itself on fake tensors: dims stay symbolic.

torch's own shape rules run on its symbolic integers. What they return is computed again from the trace's numbers,
and what they decided on becomes a guard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

import sympy
import torch
from thunder.core.compile_data import guard_recorder
from thunder.core.devices import to_device, to_torch_device
from thunder.core.dtypes import to_dtype, to_torch_dtype
from thunder.core.proxies import NumberProxy, TensorProxy
from thunder.core.pytree import tree_iter
from thunder.core.transforms.python_numbers import is_integer, maximum, minimum
from torch._dynamo.source import ConstantSource
from torch._guards import detect_fake_mode
from torch.fx.experimental import _config
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv
from torch.utils._sympy.interp import sympy_interp
from torch.utils._sympy.reference import PythonReferenceAnalysis


class _OnNumbers(PythonReferenceAnalysis):
    """Computes torch's expressions on the numbers of a trace."""

    minimum = staticmethod(minimum)
    maximum = staticmethod(maximum)

    @staticmethod
    def not_(a: Any) -> bool:
        return not a


class FakeShapes:
    """torch's symbolic integers for the dims of one operation's arguments."""

    def __init__(self) -> None:
        self._environment = ShapeEnv(duck_shape=False, specialize_zero_one=False)
        self._numbers: dict[sympy.Symbol, NumberProxy] = {}
        self._integers: dict[str, Any] = {}
        self._guards_seen = 0

    def integer(self, number: Any) -> Any:
        """Return torch's integer for ``number``, an int as it is."""
        if not isinstance(number, NumberProxy):
            return number
        if number.name not in self._integers:
            recorder = guard_recorder()
            assert recorder is not None
            with recorder.quiet():
                value = number.value
            source = ConstantSource(f"dim{len(self._numbers)}")
            symbol = self._environment.create_symbol(
                value, source, DimDynamic.DYNAMIC, positive=None, do_not_specialize_zero_one=True
            )
            self._numbers[symbol] = number
            self._integers[number.name] = self._environment.create_symintnode(symbol, hint=value, source=source)
        return self._integers[number.name]

    def tensor(self, proxy: TensorProxy) -> torch.Tensor:
        """Return a fake tensor like ``proxy``, in the fake mode that is active."""
        mode = detect_fake_mode()
        mode.shape_env, mode.static_shapes = self._environment, False
        return torch.empty(
            [self.integer(dim) for dim in proxy._shape],
            dtype=to_torch_dtype(proxy.dtype),
            device=to_torch_device(proxy.device),
            requires_grad=proxy.requires_grad,
        )

    def number(self, integer: Any) -> Any:
        """Return the number of the trace that torch's ``integer`` stands for.

        Raises:
            NotImplementedError: where it depends on the data of a tensor.
        """
        return self._computed(integer.node.expr) if isinstance(integer, torch.SymInt) else integer

    def decide(self) -> None:
        """Record what torch decided since the last call as guards.

        Raises:
            NotImplementedError: where torch decided on the data of a tensor.
        """
        guards = self._environment.guards
        for guard in guards[self._guards_seen :]:
            if not self._computed(guard.expr):
                raise NotImplementedError(f"{guard.expr} does not hold for the values seen")
        self._guards_seen = len(guards)

    def _computed(self, expression: Any) -> Any:
        try:
            return sympy_interp(_OnNumbers, self._numbers, expression)
        except (KeyError, AttributeError, AssertionError) as error:
            raise NotImplementedError(f"{expression} is no arithmetic on dims") from error


_active: ContextVar[FakeShapes | None] = ContextVar("fake_shapes", default=None)


@contextmanager
def _symbolic() -> Iterator[None]:
    token = _active.set(FakeShapes())
    try:
        yield
    finally:
        _active.reset(token)


def fake_argument(original: Callable[[Any], Any], argument: Any) -> Any:
    """Return what stands for ``argument`` while torch's shape rules run."""
    shapes = _active.get()
    if shapes is not None and isinstance(argument, NumberProxy) and is_integer(argument):
        return shapes.integer(argument)
    if shapes is not None and isinstance(argument, TensorProxy):
        return shapes.tensor(argument)
    return original(argument)


def proxy_of_fake(original: Callable[[Any], Any], fake: Any) -> Any:
    """Return the proxy of what torch's shape rules returned."""
    shapes = _active.get()
    if shapes is None:
        return original(fake)
    shapes.decide()
    if isinstance(fake, torch.SymInt):
        return shapes.number(fake)
    if isinstance(fake, torch.Size):
        return tuple(map(shapes.number, fake))
    if isinstance(fake, torch.Tensor):
        return TensorProxy(
            shape=tuple(map(shapes.number, fake.shape)),
            device=to_device(fake.device),
            dtype=to_dtype(fake.dtype),
            requires_grad=fake.requires_grad,
        )
    return original(fake)


def _is_symbolic(x: Any) -> bool:
    return is_integer(x) if isinstance(x, NumberProxy) else any(map(_is_symbolic, getattr(x, "_shape", ())))


def symbolic_meta(meta: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``meta``, which runs torch on fake tensors, with symbolic dims where torch can, else with guards."""

    @wraps(meta)
    def call(*args: Any, **kwargs: Any) -> Any:
        if guard_recorder() is not None and any(map(_is_symbolic, tree_iter((args, kwargs)))):
            try:
                with _symbolic(), _config.patch(backed_size_oblivious=True):
                    return meta(*args, **kwargs)
            except NotImplementedError:
                pass  # upstream says so, too, of what torch itself refuses: then each dim is read
        return meta(*args, **kwargs)

    return call
