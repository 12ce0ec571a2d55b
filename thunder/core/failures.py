"""Why no specialization serves a call: the first condition that failed, and what it looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thunder.core.checks import Check, Names, Prologue

_LONGEST = 80  # characters of a value that is shown


@dataclass(frozen=True)
class Failure:
    """A condition of a specialization that a call did not meet.

    Args:
        specialization: number of the specialization, of all the one that met most conditions before the first failed.
        text: the condition, over the user's own names.
        source: ``file:line`` of the user's code behind it, None where there is none.
        values: what the condition looked at, by name.
    """

    specialization: int
    text: str
    source: str | None
    values: dict[str, str]

    def __str__(self) -> str:
        place = "" if self.source is None else f" ({self.source})"
        seen = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return f"{self.text}{place} failed for specialization {self.specialization}" + (f": {seen}" if seen else "")


class _Values:
    """Evaluates conditions on one call, each piece of code once."""

    def __init__(self, names: Names, place: dict[str, Any]) -> None:
        self._names = names
        self._globals = {**names.namespace}
        self._known = dict(place)
        self._decided: dict[str, bool] = {}

    def value(self, code: str) -> Any:
        for name in self._names.needed(code):
            if name not in self._known:
                self._known[name] = eval(self._names.definitions[name], self._globals, self._known)
        return eval(code, self._globals, self._known)

    def holds(self, check: Check) -> bool:
        if check.code not in self._decided:
            try:
                self._decided[check.code] = bool(self.value(check.code))
            except Exception:
                self._decided[check.code] = False
        return self._decided[check.code]

    def shown(self, code: str) -> str:
        try:
            value = self.value(code)
        except Exception as error:
            return f"not there ({type(error).__name__})"
        text = value.__name__ if isinstance(value, type) else repr(value)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def first_failure(names: Names, prologues: Sequence[Prologue | None], place: dict[str, Any]) -> Failure:
    """Return the first condition that failed, in the specialization that met most conditions.

    Args:
        names: of the conditions' code.
        prologues: what each specialization checks, in the order of compilation; None where that is not known.
        place: the call's ``args``, ``kwargs``, ``cache_info`` and ``modules``.
    """
    values = _Values(names, place)
    best: tuple[int, int, Check] | None = None
    for number, prologue in enumerate(prologues):
        if prologue is None:
            continue
        for met, check in enumerate((*prologue.checks, *prologue.told)):
            if not values.holds(check):
                if best is None or met >= best[0]:
                    best = met, number, check
                break
    if best is None:
        return Failure(len(prologues) - 1, "its prologue", None, {})
    _, number, check = best
    seen = {name: values.shown(code) for name, code in check.seen}
    return Failure(number, check.text, check.source, seen)
