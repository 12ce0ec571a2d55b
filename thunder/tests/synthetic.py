"""Traces made by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from thunder.common import CompileData, CompileStats
from thunder.core import devices, dtypes, prims
from thunder.core.compile_data import compile_data_and_stats, guard_recorder
from thunder.core.langctxs import Languages, langctx
from thunder.core.options import CACHE_OPTIONS
from thunder.core.proxies import NumberProxy, Proxy, TensorProxy, numberproxy
from thunder.core.symbol import BoundSymbol, Symbol
from thunder.core.trace import TraceCtx, tracectx
from thunder.core.transforms.guards import GuardRecorder


@contextmanager
def symbolic_context(recorder: GuardRecorder | None = None) -> Iterator[None]:
    """Let passes and proxies see the options of a function compiled with symbolic values.

    Args:
        recorder: of the guards; without one numbers have no expressions, and are told apart by name.
    """
    data = CompileData(fn=lambda: None, cache_option=CACHE_OPTIONS.SYMBOLIC_VALUES, disable_preprocessing=True)
    statistics = CompileStats()
    if recorder is not None:
        statistics.guard_recorder = recorder
    with compile_data_and_stats(data, statistics), langctx(Languages.TORCH):
        yield


class Built:
    """A trace under construction.

    Attributes:
        trace: the trace.
        recorder: of the guards, where numbers have expressions.
        a: the first input, of symbolic dims 4, 5, ...
        dims: the dims of ``a``.
    """

    def __init__(self, trace: TraceCtx, rank: int, recorder: GuardRecorder | None = None) -> None:
        self.trace = trace
        self.recorder = recorder
        trace.args = ()
        self.a = self.input("a", *range(4, 4 + rank))
        self.dims = self.a._shape

    def input(self, name: str, *sizes: int) -> TensorProxy:
        """Add an input with one symbolic dim for each of ``sizes``, the sizes seen while tracing."""
        dims = tuple(numberproxy(int, size) for size in sizes)
        if self.recorder is not None:
            for axis, dim in enumerate(dims):
                dim._expression = self.recorder.new_symbol(f"{name}.shape[{axis}]", int, lower=0)
        tensor = TensorProxy(name, shape=dims, device=devices.cpu, dtype=dtypes.float32)
        self.trace.args = (*self.trace.args, tensor)
        prims.unpack_trivial(tensor, name=name)
        return tensor


@contextmanager
def building(rank: int = 1, *, expressions: bool = False) -> Iterator[Built]:
    """Trace the body by hand, into what is yielded; with ``expressions`` its numbers have them."""
    trace = TraceCtx(lambda: None)
    recorder = GuardRecorder() if expressions else None
    with symbolic_context(recorder), tracectx(trace):
        yield Built(trace, rank, recorder)


def made_of(*dims: Any) -> TensorProxy:
    """Record a tensor operation that takes ``dims``."""
    return prims.full(dims, 0.0, device=devices.cpu, dtype=dtypes.float32)


def composite(body: Callable[..., Any]) -> Symbol:
    """Return a symbol whose subsymbols are what ``body`` records."""
    return Symbol("composite", meta=body, id="test.composite")


def names(bound_symbols: list[BoundSymbol]) -> list[str]:
    """Return the names of the symbols."""
    return [bsym.sym.name for bsym in bound_symbols]


def chain(length: int, *, expressions: bool = False) -> TraceCtx:
    """Return a trace of about ``length`` bound symbols at all depths, as the front end would record it.

    Each link is a composite that unpacks its input, computes with its dims and makes a tensor of them; its
    result has a new dim, which the next link unpacks again.
    """
    with building(2, expressions=expressions) as built:
        made: Proxy = built.a
        count = 1
        while count < length:
            made = _link(made)
            count += 1 + len(built.trace.bound_symbols[-1].subsymbols)
        prims.python_return(made)
    return built.trace


def _link_body(a: TensorProxy) -> TensorProxy:
    rows, columns = prims.shape(a)
    prims.shape(a)
    more = prims.add(rows, 1)
    prims.add(rows, 1)
    prims.mul(more, 2)
    zeros = prims.full((more, columns), 0.0, device=a.device, dtype=a.dtype)
    prims.shape(zeros)
    return prims.neg(zeros)


_link = Symbol("link", meta=_link_body, id="synthetic.link")
