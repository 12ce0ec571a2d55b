"""Traces made by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from thunder.common import CompileData, CompileStats
from thunder.core.compile_data import compile_data_and_stats
from thunder.core.langctxs import Languages, langctx
from thunder.core.options import CACHE_OPTIONS


@contextmanager
def symbolic_context() -> Iterator[None]:
    """Let passes and proxies see the options of a function compiled with symbolic values."""
    data = CompileData(fn=lambda: None, cache_option=CACHE_OPTIONS.SYMBOLIC_VALUES, disable_preprocessing=True)
    with compile_data_and_stats(data, CompileStats()), langctx(Languages.TORCH):
        yield
