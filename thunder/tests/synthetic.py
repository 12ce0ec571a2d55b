"""Traces made by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from thunder.common import CompileData, CompileStats
from thunder.core import devices, dtypes, prims
from thunder.core.compile_data import compile_data_and_stats
from thunder.core.langctxs import Languages, langctx
from thunder.core.options import CACHE_OPTIONS
from thunder.core.proxies import TensorProxy, numberproxy
from thunder.core.symbol import Symbol
from thunder.core.trace import TraceCtx, tracectx


@contextmanager
def symbolic_context() -> Iterator[None]:
    """Let passes and proxies see the options of a function compiled with symbolic values."""
    data = CompileData(fn=lambda: None, cache_option=CACHE_OPTIONS.SYMBOLIC_VALUES, disable_preprocessing=True)
    with compile_data_and_stats(data, CompileStats()), langctx(Languages.TORCH):
        yield


def chain(length: int) -> TraceCtx:
    """Return a trace of about ``length`` bound symbols at all depths, as the front end would record it.

    Each link is a composite that unpacks its input, computes with its dims and makes a tensor of them; its
    result has a new dim, which the next link unpacks again.
    """
    trace = TraceCtx(lambda: None)
    with tracectx(trace):
        made = TensorProxy("a", shape=(numberproxy(int, 4), 3), device=devices.cpu, dtype=dtypes.float32)
        trace.args = (made,)
        prims.unpack_trivial(made, name="a")
        count = 1
        while count < length:
            made = _link(made)
            last = trace.bound_symbols[-1]
            count += 1 + len(last.subsymbols)
        prims.python_return(made)
    return trace


def _link_meta(a: TensorProxy) -> TensorProxy:
    rows, columns = prims.shape(a)
    prims.shape(a)
    more = prims.add(rows, 1)
    prims.add(rows, 1)
    prims.mul(more, 2)
    zeros = prims.full((more, columns), 0.0, device=a.device, dtype=a.dtype)
    prims.shape(zeros)
    return prims.neg(zeros)


_link = Symbol("link", meta=_link_meta, id="synthetic.link")
