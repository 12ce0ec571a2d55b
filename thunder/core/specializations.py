"""The specializations of a jitted callable: what upstream keeps in a list, with a record of each."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from thunder.core.transforms.guards import GuardRecorder

_Call = tuple[tuple[Any, ...], dict[str, Any]]
_call: ContextVar[_Call | None] = ContextVar("call", default=None)


@dataclass
class Specialization:
    """One cached computation and what became of it.

    Args:
        entry: upstream's cache entry.
        recorder: the guards that it was compiled under.
        compile_seconds: time from the miss to the finished computation, in seconds.
        hits: calls that it served, without the one that compiled it.
    """

    entry: Any
    recorder: GuardRecorder
    compile_seconds: float
    hits: int = 0


class SpecializationCache(list[Any]):
    """Upstream's list of cache entries; upstream searches it from the end and appends what it compiled.

    Args:
        function: the callable or module that was jitted.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function
        self.specializations: list[Specialization] = []
        self._stats: Callable[[], Any] = lambda: None
        self._missed_at = 0.0

    def belongs_to(self, stats: Any) -> None:
        """Become the cache of a callable's ``CompileStats``."""
        self._stats = weakref.ref(stats)
        stats.interpreter_cache = self

    def seeing_calls(self, search: Callable[..., Any]) -> Callable[..., Any]:
        """Return upstream's ``search``, remembering the arguments while it runs."""

        def search_for(*args: Any, **kwargs: Any) -> Any:
            token = _call.set((args, kwargs))
            try:
                return search(*args, **kwargs)
            finally:
                _call.reset(token)

        return search_for

    def __reversed__(self) -> Iterator[Any]:
        if _call.get() is None:
            yield from super().__reversed__()
            return
        for specialization in reversed(self.specializations):
            try:
                yield specialization.entry
            except GeneratorExit:  # upstream is content with the entry
                specialization.hits += 1
                raise
        self._missed_at = time.perf_counter()

    def append(self, entry: Any) -> None:
        """Keep ``entry``, which was just compiled."""
        recorder = self._stats().guard_recorder
        self.specializations.append(Specialization(entry, recorder, time.perf_counter() - self._missed_at))
        super().append(entry)

    def clear(self) -> None:
        """Forget all specializations."""
        self.specializations.clear()
        super().clear()
