"""The specializations of a jitted callable: what upstream keeps in a list, with a record of each."""

from __future__ import annotations

import logging
import time
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import thunder
from thunder.core.checks import Names, Prologue, Translation, Untranslatable
from thunder.core.eager_calls import eager_entry
from thunder.core.failures import Failure, first_failure
from thunder.core.recompile_limit import OPTION, LimitReached, RecompileLimitWarning, limit_message
from thunder.core.search import Search, build_search
from thunder.core.transforms.guards import GuardRecorder

_logger = logging.getLogger("thunder.symbolic")


class _Call:
    """A call while upstream looks for the specialization that serves it."""

    __slots__ = ("args", "found", "kwargs", "values")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs
        self.found: Specialization | None = None
        self.values: Any = None


_call: ContextVar[_Call | None] = ContextVar("call", default=None)


def _take_values(*_: Any, **__: Any) -> Any:
    """Return what the prologue would: the search has decided its checks and read its values already."""
    call = _call.get()
    assert call is not None
    return call.values


@dataclass
class Specialization:
    """One cached computation and what became of it.

    Args:
        entry: upstream's cache entry.
        recorder: the guards that it was compiled under.
        prologue: what its prologue checks; None where that is not known condition by condition.
        reason: why no earlier specialization served the call that it was compiled for.
        compile_seconds: time from the miss to the finished computation, in seconds.
        hits: calls that it served, without the one that compiled it.
    """

    entry: Any
    recorder: GuardRecorder
    prologue: Prologue | None
    reason: Failure | None
    compile_seconds: float
    hits: int = 0

    def __post_init__(self) -> None:
        self.found_entry = self.entry._replace(prologue_fn=_take_values)


class SpecializationCache(list[Any]):
    """Upstream's list of cache entries; upstream searches it from the end and appends what it compiled.

    Args:
        function: the callable or module that was jitted.
        limit: how many specializations it may have.
    """

    def __init__(self, function: Callable[..., Any], limit: int) -> None:
        super().__init__()
        self.function = function
        self.limit = limit
        self.eager_calls = 0
        self.specializations: list[Specialization] = []
        self._names = Names(function)
        self._search: Search | None = None
        self._stats: Callable[[], Any] = lambda: None
        self._data: Callable[[], Any] = lambda: None
        self._transforms: list[Any] = []
        self._has_warned = False
        self._missed_at = 0.0
        self._reason: Failure | None = None

    def belongs_to(self, jitted: Any) -> None:
        """Become the cache of a jitted callable."""
        # Weak, as everywhere in upstream: a callable that is dropped is freed at once
        self._stats, self._data = weakref.ref(jitted._lc_cs), weakref.ref(jitted._lc_cd)
        self._transforms = jitted._lc_transforms
        jitted._lc_cs.interpreter_cache = self

    def seeing_calls(self, search: Callable[..., Any]) -> Callable[..., Any]:
        """Return upstream's ``search``, which finds what this cache finds for its arguments."""

        def search_for(*args: Any, **kwargs: Any) -> Any:
            call = _Call(args, kwargs)
            token = _call.set(call)
            try:
                entry, inputs, for_epilogue = search(*args, **kwargs)
            except LimitReached:
                return eager_entry(self.function, self._data(), args, kwargs), (), ()
            finally:
                _call.reset(token)
            if call.found is not None:
                entry = call.found.entry
                self._stats().last_prologue = entry.prologue_fn
            return entry, inputs, for_epilogue

        return search_for

    def __reversed__(self) -> Iterator[Any]:
        call = _call.get()
        if call is None:
            yield from super().__reversed__()
            return
        found = self._find(call)
        if found is not None:
            found.hits += 1
            call.found = found
            yield found.found_entry
        for specialization in reversed(self.specializations):
            if specialization.prologue is None:
                try:
                    yield specialization.entry
                except GeneratorExit:  # upstream is content with the entry
                    specialization.hits += 1
                    raise
        if len(self) >= self.limit:
            self._refuse(call)
        self._missed_at = time.perf_counter()
        self._reason = self._reason_of_miss(call)
        if self._reason is not None:
            _logger.info("%s compiles specialization %d: %s", name_of(self.function), len(self), self._reason)

    def _find(self, call: _Call) -> Specialization | None:
        if self._search is None:
            known = [(i, s.prologue) for i, s in enumerate(self.specializations) if s.prologue is not None]
            # As upstream, the latest first
            self._search, _ = build_search(self._names, known[::-1])
        stats = self._stats()
        stats.last_prologue_execution_start = time.perf_counter_ns()
        found = self._search(call.args, call.kwargs, thunder._get_cache_info(), self._data()._thunder_module_map)
        stats.last_prologue_execution_stop = time.perf_counter_ns()
        if found is None:
            return None
        index, call.values = found
        return self.specializations[index]

    def _reason_of_miss(self, call: _Call) -> Failure | None:
        """Return why no specialization serves the call; None where there is none yet."""
        if not self.specializations:
            return None
        place = {
            "args": call.args,
            "kwargs": call.kwargs,
            "cache_info": thunder._get_cache_info(),
            "modules": self._data()._thunder_module_map,
        }
        return first_failure(self._names, [s.prologue for s in self.specializations], place)

    def _refuse(self, call: _Call) -> None:
        """Let the call run eagerly, and say so once.

        Raises:
            LimitReached: unless transforms were asked for, without which a call would compute something else.
        """
        transformed = bool(self._transforms)
        if not self._has_warned:
            self._has_warned = True
            reasons = [s.reason for s in self.specializations if s.reason is not None]
            last = self._reason_of_miss(call)
            assert last is not None
            consequence = "calls that none of them serves run eagerly"
            if transformed:
                consequence = "calls that none of them serves compile each time, since eager calls skip the transforms"
            message = limit_message(name_of(self.function), self.limit, reasons, last, consequence)
            warnings.warn(message, RecompileLimitWarning, stacklevel=2)
            _logger.info("%s", message)
        if not transformed:
            self.eager_calls += 1
            self._stats().cache_misses += 1
            raise LimitReached

    def append(self, entry: Any) -> None:
        """Keep ``entry``, which was just compiled.

        Raises:
            MarkedDimError: where a transform fixed a dim that is marked dynamic.
        """
        self._stats().guard_recorder.marks.raise_errors()
        seconds = time.perf_counter() - self._missed_at
        self._stats().last_compile_reasons[OPTION].append("How many specializations a callable may have")
        if len(self) >= self.limit:
            return
        recorder = self._stats().guard_recorder
        try:
            prologue = Translation(self._names, recorder).translate(entry.prologue_traces[-1])
        except Untranslatable:
            prologue = None
        self.specializations.append(Specialization(entry, recorder, prologue, self._reason, seconds))
        self._search = None
        super().append(entry)

    def clear(self) -> None:
        """Forget all specializations."""
        self.specializations.clear()
        self._search = None
        super().clear()


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function, or of the class of a module or other callable."""
    return getattr(function, "__qualname__", None) or type(function).__qualname__
