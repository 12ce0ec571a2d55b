"""The search for the specialization that serves a call: a decision tree over the conditions of all prologues.

It is generated Python. A condition that several specializations share is decided once; where they part, the tree
branches on what tells them apart. Branching only says where to look: each specialization has all of its own conditions
on its way, so that none is dropped.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from thunder.core.checks import Check, Names, Prologue
from thunder.core.transforms.expression_bounds import Bounds, intersection

Search = Callable[..., Any]
# CPython nests at most 20 loops in one function
_DEEPEST = 15
# Up to here, trying one group of specializations after another costs less than a table
_FEW = 3
_PARAMETERS = "args, kwargs, cache_info, modules"


@dataclass(frozen=True)
class _Candidate:
    """A specialization that may still serve the call, and what of its conditions remains to be decided."""

    index: int
    prologue: Prologue
    checks: tuple[Check, ...]
    guards: tuple[Check, ...]

    @classmethod
    def of(cls, index: int, prologue: Prologue) -> _Candidate:
        return cls(index, prologue, prologue.checks, prologue.guards)

    def after(self, codes: set[str]) -> _Candidate:
        """Return the candidate once the conditions ``codes`` are known to hold."""
        checks = tuple(check for check in self.checks if check.code not in codes)
        return replace(self, checks=checks, guards=tuple(guard for guard in self.guards if guard.code not in codes))

    def limits(self) -> dict[str, Bounds]:
        """Return the limits that the remaining guards set, by what they limit."""
        limits: dict[str, Bounds] = {}
        for route in (guard.route for guard in self.guards):
            if route is not None and route.limits is not None:
                limits[route.subject] = intersection(limits.get(route.subject, (None, None)), route.limits)
        return {subject: (low, high) for subject, (low, high) in limits.items() if not _is_empty(low, high)}


class _Split(NamedTuple):
    subject: str
    pivot: int
    below: list[_Candidate]
    above: list[_Candidate]
    both: list[_Candidate]


def build_search(names: Names, prologues: Iterable[tuple[int, Prologue]]) -> tuple[Search, str]:
    """Return the search over ``prologues``, and its source.

    Args:
        names: of the generated code.
        prologues: number and parts of each specialization, those to prefer first.

    Returns:
        A function of ``args``, ``kwargs``, upstream's cache info and its table of modules. It returns the number of a
        specialization and what its prologue returns, or None where none serves the call. It does not raise.
    """
    writer = _Writer(names)
    writer.function("search", [_Candidate.of(index, prologue) for index, prologue in prologues])
    source = "\n".join(line for function in writer.functions for line in function)
    namespace = {**names.namespace, **writer.tables}
    exec(compile(source, "<search>", "exec"), namespace)
    return namespace["search"], source


class _Writer:
    """Writes the search; a variable that is assigned on the way to a place may be used there."""

    def __init__(self, names: Names) -> None:
        self.functions: list[list[str]] = []
        self.tables: dict[str, dict[Any, int]] = {}
        self._names = names
        self._lines: list[str] = []
        self._depth = 0
        self._loops = 0

    def function(self, name: str, candidates: list[_Candidate]) -> None:
        """Write a function that searches ``candidates``."""
        outer = self._lines, self._depth, self._loops
        self._lines, self._depth, self._loops = [f"def {name}({_PARAMETERS}):"], 1, 0
        self.functions.append(self._lines)
        self._block(candidates, frozenset())
        self._line("return None")
        self._lines, self._depth, self._loops = outer

    def _line(self, text: str) -> None:
        self._lines.append(" " * self._depth + text)

    def _read(self, code: str, assigned: set[str]) -> None:
        for name in self._names.needed(code):
            if name not in assigned:
                assigned.add(name)
                self._line(f"{name} = {self._names.definitions[name]}")

    def _block(self, candidates: list[_Candidate], known: frozenset[str]) -> None:
        """Write what returns where one of ``candidates`` serves the call, and goes on behind itself where none does."""
        if not candidates:
            return
        if self._loops == _DEEPEST:
            self._delegate(candidates)
            return
        common = _common(candidates)
        remaining = [candidate.after({check.code for check in common}) for candidate in candidates]
        done = next((candidate for candidate in remaining if not candidate.checks and not candidate.guards), None)
        assigned = set(known)
        self._line("while True:")  # to leave by break
        self._depth += 1
        self._loops += 1
        self._decide(common, done, assigned)
        if done is None:
            self._branch(remaining, frozenset(assigned))
            self._line("break")
        self._loops -= 1
        self._depth -= 1

    def _delegate(self, candidates: list[_Candidate]) -> None:
        name = f"search{len(self.functions)}"
        self.function(name, [_Candidate.of(candidate.index, candidate.prologue) for candidate in candidates])
        self._line(f"found = {name}({_PARAMETERS})")
        self._line("if found is not None:")
        self._line(" return found")

    def _decide(self, checks: Sequence[Check], done: _Candidate | None, assigned: set[str]) -> None:
        """Write what leaves the block unless ``checks`` hold, and returns where they are all that ``done`` asks."""
        if not checks and done is None:
            return
        # Reading may fail where a call brings other objects: that is a miss, as it is for upstream
        self._line("try:")
        self._depth += 1
        waiting: list[str] = []
        for check in checks:
            if any(name not in assigned for name in self._names.needed(check.code)):
                self._leave_unless(waiting)
            self._read(check.code, assigned)
            waiting.append(check.code)
        self._leave_unless(waiting)
        if done is not None:
            self._read(done.prologue.result, assigned)
            self._line(f"return {done.index}, {done.prologue.result}")
        self._depth -= 1
        self._line("except Exception:")
        self._line(" break")

    def _leave_unless(self, codes: list[str]) -> None:
        if codes:
            self._line(f"if not ({' and '.join(codes)}):")
            self._line(" break")
            codes.clear()

    def _branch(self, candidates: list[_Candidate], known: frozenset[str]) -> None:
        """Write the search among candidates that share no next condition."""
        first = next((candidate.checks[0] for candidate in candidates if candidate.checks), None)
        if first is None:
            self._branch_on_limits(candidates, known)
            return
        together = [c for c in candidates if c.checks and _comparable(c.checks[0], first)]
        groups: dict[str, list[_Candidate]] = {}
        for candidate in together:
            groups.setdefault(candidate.checks[0].code, []).append(candidate)
        if len(groups) > _FEW:
            self._look_up(list(groups.values()), known)
        else:
            for group in groups.values():
                self._block(group, known)
        self._block([candidate for candidate in candidates if candidate not in together], known)

    def _look_up(self, groups: list[list[_Candidate]], known: frozenset[str]) -> None:
        """Write the choice of the group whose first condition holds."""
        routes = [group[0].checks[0].route for group in groups]
        table = f"table{len(self.tables)}"
        self.tables[table] = {
            route.constant if route.limits is None else route.limits[0]: number
            for number, route in enumerate(routes)
            if route is not None
        }
        assert routes[0] is not None
        subject, number = routes[0].subject, f"{table}_number"
        self._evaluate(number, f"{table}.get({subject}, -1)", "-1", set(known))
        self._choose(number, groups, 0, known)

    def _evaluate(self, name: str, code: str, otherwise: str, assigned: set[str]) -> None:
        self._line("try:")
        self._depth += 1
        self._read(code, assigned)
        self._line(f"{name} = {code}")
        self._depth -= 1
        self._line("except Exception:")
        self._line(f" {name} = {otherwise}")

    def _choose(self, number: str, groups: list[list[_Candidate]], start: int, known: frozenset[str]) -> None:
        if len(groups) == 1:
            self._line(f"if {number} == {start}:")
            self._depth += 1
            self._block(groups[0], known)
            self._depth -= 1
            return
        middle = len(groups) // 2
        self._line(f"if {number} < {start + middle}:")
        self._depth += 1
        self._choose(number, groups[:middle], start, known)
        self._depth -= 1
        self._line("else:")
        self._depth += 1
        self._choose(number, groups[middle:], start + middle, known)
        self._depth -= 1

    def _branch_on_limits(self, candidates: list[_Candidate], known: frozenset[str]) -> None:
        """Write the search among candidates of which only guards remain."""
        split = _best_split(candidates)
        if split is None:
            self._block(candidates[:1], known)
            self._block(candidates[1:], known)
            return
        assigned = set(known)
        # Where the subject has no value no candidate on either side serves the call
        self._evaluate("is_below", f"{split.subject} < {split.pivot}", "True", assigned)
        self._line("if is_below:")
        self._depth += 1
        self._block(split.below, frozenset(assigned))
        self._depth -= 1
        self._line("else:")
        self._depth += 1
        self._block(split.above, frozenset(assigned))
        self._depth -= 1
        self._block(split.both, known)


def _is_empty(low: int | None, high: int | None) -> bool:
    return low is not None and high is not None and low > high


def _common(candidates: Sequence[_Candidate]) -> list[Check]:
    """Return the conditions to decide first: all of a single candidate's, else those that all candidates share."""
    first, *others = candidates
    common: list[Check] = []
    for position, check in enumerate(first.checks):
        if any(len(c.checks) <= position or c.checks[position].code != check.code for c in others):
            return common
        common.append(check)
    if all(len(candidate.checks) == len(common) for candidate in candidates):
        shared = [{guard.code for guard in candidate.guards} for candidate in others]
        common += [guard for guard in first.guards if all(guard.code in codes for codes in shared)]
    return common


def _comparable(check: Check, first: Check) -> bool:
    """Return whether what ``first`` looks at decides ``check`` too."""
    if check.route is None or first.route is None:
        return check.code == first.code
    return check.route.subject == first.route.subject


def _best_split(candidates: list[_Candidate]) -> _Split | None:
    """Return the comparison that parts the candidates best, or None where no comparison parts them."""
    limits = [candidate.limits() for candidate in candidates]
    best: tuple[int, str, int] | None = None
    for subject in dict.fromkeys(subject for own in limits for subject in own):
        ends = [own[subject] for own in limits if subject in own]
        lows = sorted(low for low, _ in ends if low is not None)
        highs = sorted(high for _, high in ends if high is not None)
        for pivot in {*lows, *(high + 1 for high in highs)}:
            below, above = bisect_left(highs, pivot), len(lows) - bisect_left(lows, pivot)
            cost = len(candidates) - below - above + max(below, above)
            if below and above and (best is None or cost < best[0]):
                best = cost, subject, pivot
    if best is None:
        return None
    _, subject, pivot = best
    sides: dict[int, list[_Candidate]] = {-1: [], 0: [], 1: []}
    for candidate, own in zip(candidates, limits, strict=True):
        low, high = own.get(subject, (None, None))
        sides[-1 if high is not None and high < pivot else 1 if low is not None and low >= pivot else 0].append(
            candidate
        )
    return _Split(subject, pivot, sides[-1], sides[1], sides[0])
