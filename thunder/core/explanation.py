"""What the specializations of a jitted callable are, and why there is more than one: a report for people."""

from __future__ import annotations

import html
import io
import linecache
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from thunder.core.failures import Failure
from thunder.core.proxies import NumberProxy, TensorProxy
from thunder.core.specializations import Specialization, SpecializationCache, name_of
from thunder.core.transforms.guards import Guard, GuardRecorder
from thunder.core.transforms.inputs import access_path

if TYPE_CHECKING:
    from rich.table import Table

_HEADINGS = ("#", "hits", "compiled in", "inputs", "guards", "line", "compiled because")


@dataclass(frozen=True)
class ExplainedGuard:
    """A guard as the user would write it.

    Attributes:
        text: the condition, over the user's own names.
        source: ``file:line`` of the user's code that decided, or what else did.
        code: the text of that line, or None where it cannot be read.
    """

    text: str
    source: str
    code: str | None

    @classmethod
    def of(cls, guard: Guard) -> ExplainedGuard:
        """Return the explanation of a recorded guard."""
        if guard.source is None:
            return cls(guard.text, guard.origin, None)
        filename, _, line = guard.source.rpartition(":")
        return cls(guard.text, guard.source, linecache.getline(filename, int(line)).strip() or None)


@dataclass(frozen=True)
class ExplainedSpecialization:
    """One cached computation.

    Attributes:
        inputs: for each input that guards may read, its name and type with the symbols of its dims.
        symbols: for each symbol in ``inputs``, what it stands for, such as ``x.shape[0]``.
        guards: what has to hold for a call to be served.
        hits: calls that it served, without the one that compiled it.
        compile_seconds: how long it took to trace, transform and compile, in seconds.
        reason: the condition of an earlier specialization that failed, and the values it saw; None for the first.
    """

    inputs: dict[str, str]
    symbols: dict[str, str]
    guards: tuple[ExplainedGuard, ...]
    hits: int
    compile_seconds: float
    reason: Failure | None

    @classmethod
    def of(cls, specialization: Specialization) -> ExplainedSpecialization:
        """Return the explanation of a specialization."""
        recorder = specialization.recorder
        return cls(
            _inputs(recorder),
            _symbols(recorder),
            tuple(map(ExplainedGuard.of, recorder.guards)),
            specialization.hits,
            specialization.compile_seconds,
            specialization.reason,
        )


@dataclass(frozen=True)
class Explanation:
    """Every specialization of a jitted callable. ``print`` it, display it in a notebook, or take ``to_dict()``.

    Attributes:
        function: the name of the callable.
        hits: calls that a specialization served.
        misses: calls that none did; each compiled one, or ran eagerly.
        eager: misses that ran eagerly, since there may be no more than ``limit`` specializations.
        limit: how many specializations there may be.
        specializations: in the order of compilation.
    """

    function: str
    hits: int
    misses: int
    eager: int
    limit: int
    specializations: tuple[ExplainedSpecialization, ...]

    @classmethod
    def of(cls, cache: SpecializationCache, stats: Any) -> Explanation:
        """Return the explanation of a cache and its callable's ``CompileStats``."""
        specializations = tuple(map(ExplainedSpecialization.of, cache.specializations))
        counts = stats.cache_hits, stats.cache_misses, cache.eager_calls, cache.limit
        return cls(name_of(cache.function), *counts, specializations)

    @property
    def title(self) -> str:
        """One line on the callable as a whole."""
        count = len(self.specializations)
        text = f"{self.function}: {_many(count, 'specialization')}, {_many(self.hits, 'hit')}, {_misses(self.misses)}"
        return f"{text}, {self.eager} of them run eagerly (limit {self.limit})" if self.eager else text

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as dicts, lists, strings and numbers, ready for JSON."""
        return asdict(self)

    def __rich__(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        table = Table(title=self.title, title_justify="left", show_lines=True)
        for heading in _HEADINGS:
            table.add_column(heading)
        for row in self._rows():
            table.add_row(*(Text("\n".join(cell)) for cell in row))
        return table

    def __str__(self) -> str:
        from rich.console import Console

        # Wide enough to break no line: the table takes the width that its cells need
        console = Console(file=io.StringIO(), width=10_000, color_system=None, legacy_windows=False)
        console.print(self.__rich__())
        lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        cells = ["".join(f"<th>{html.escape(heading)}</th>" for heading in _HEADINGS)]
        for row in self._rows():
            texts = ("<br>".join(html.escape(line) for line in cell) for cell in row)
            cells.append("".join(f"<td>{text}</td>" for text in texts))
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table><caption>{html.escape(self.title)}</caption>{body}</table>"

    def _rows(self) -> list[tuple[list[str], ...]]:
        return [
            (
                [str(index)],
                [str(item.hits)],
                [f"{item.compile_seconds:.2f} s"],
                [f"{name}: {described}" for name, described in item.inputs.items()],
                [guard.text for guard in item.guards] or ["none"],
                [_line(guard) for guard in item.guards],
                _because(item.reason),
            )
            for index, item in enumerate(self.specializations)
        ]


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _misses(count: int) -> str:
    return "1 miss" if count == 1 else f"{count} misses"


def _line(guard: ExplainedGuard) -> str:
    place = guard.source.replace("\\", "/").rpartition("/")[2]
    return place if guard.code is None else f"{place}  {guard.code}"


def _because(reason: Failure | None) -> list[str]:
    if reason is None:
        return ["it is the first"]
    return [f"{reason.text} failed for {reason.specialization}", *map(" = ".join, reason.values.items())]


def _named_inputs(recorder: GuardRecorder) -> list[tuple[str, TensorProxy | NumberProxy]]:
    return [
        (proxy.name if proxy.history is None else recorder.parameters.describe(access_path(proxy.history)), proxy)
        for proxy in recorder.inputs
    ]


def _inputs(recorder: GuardRecorder) -> dict[str, str]:
    with recorder.quiet():
        return {
            name: proxy.type_string() if isinstance(proxy, TensorProxy) else proxy.python_type.__name__
            for name, proxy in _named_inputs(recorder)
        }


def _symbols(recorder: GuardRecorder) -> dict[str, str]:
    symbols = {}
    for name, proxy in _named_inputs(recorder):
        if isinstance(proxy, NumberProxy):
            symbols[proxy.name] = name
            continue
        for index, dim in enumerate(proxy._shape):
            if isinstance(dim, NumberProxy):
                symbols[dim.name] = f"{name}.shape[{index}]"
    return symbols
