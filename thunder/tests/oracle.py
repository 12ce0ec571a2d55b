"""Proves, with z3, that the guards of a specialization imply every decision that was taken while it was traced.

What z3 does not decide in its time, and what is beyond it (floats, bits), is tried on random inputs that the guards let
through instead, and counted apart.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from typing import Any
from unittest.mock import patch

import z3
from thunder.core.transforms.expression_nodes import Expression, evaluate, postorder, symbols
from thunder.core.transforms.guards import GuardRecorder

_MILLISECONDS = 300
_TRIES = 400


class BeyondOracle(Exception):
    """An expression has no translation: it computes with floats or bits."""


@dataclass
class Proof:
    """What is known of the decisions of some specializations.

    Args:
        decisions: how many were taken, each expression once for each specialization.
        guards: how many conditions are checked on a call.
        proven: decisions that z3 proved from the guards.
        sampled: decisions that held on random inputs which the guards let through.
        untried: decisions that z3 left open, and for which no such input was found.
        redundant: guards that z3 proved from the other guards of their specialization.
        refuted: texts of decisions that the guards do not imply, with the inputs.
    """

    decisions: int = 0
    guards: int = 0
    proven: int = 0
    sampled: int = 0
    untried: int = 0
    redundant: int = 0
    refuted: list[str] = field(default_factory=list)

    def summary(self) -> str:
        """Return a line for people."""
        return (
            f"{self.decisions} decisions: {self.proven} proven from the guards, {self.sampled} held on random inputs, "
            f"{self.untried} untried, {len(self.refuted)} refuted; {self.guards} guards, {self.redundant} redundant"
        )

    def __add__(self, other: Proof) -> Proof:
        return Proof(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


@contextmanager
def recorded_decisions() -> Iterator[dict[GuardRecorder, list[Expression]]]:
    """Collect every decision of the specializations compiled inside, whether or not it became a guard."""
    collected: dict[GuardRecorder, list[Expression]] = {}
    hold = GuardRecorder._hold

    def record(self: GuardRecorder, expression: Expression) -> None:
        collected.setdefault(self, []).append(expression)
        hold(self, expression)

    with patch.object(GuardRecorder, "_hold", record):
        yield collected


def prove(guards: Sequence[Expression], decisions: Sequence[Expression]) -> Proof:
    """Return what follows from the ``guards`` of one specialization about its ``decisions``."""
    proof = Proof(guards=len(guards))
    for decision in dict.fromkeys(decisions):
        proof.decisions += 1
        answer = "proven" if decision in guards else _implied(guards, decision)
        if isinstance(answer, dict):
            shown = ", ".join(f"{s} = {value}" for s, value in answer.items())
            proof.refuted.append(f"{decision} does not hold for {shown}, which {[str(g) for g in guards]} let through")
        else:
            setattr(proof, answer, getattr(proof, answer) + 1)
    for position, guard in enumerate(guards):
        others = [*guards[:position], *guards[position + 1 :]]
        proof.redundant += _solve(others, guard) == "proven"
    return proof


def prove_all(collected: dict[GuardRecorder, list[Expression]]) -> Proof:
    """Return what follows from the guards of each specialization about its decisions."""
    proofs = (prove(recorder.facts.conjuncts, decisions) for recorder, decisions in collected.items())
    return sum(proofs, Proof())


def _implied(guards: Sequence[Expression], decision: Expression) -> str | dict[Expression, Any]:
    answer = _solve(guards, decision)
    return _sample(guards, decision) if answer == "open" else answer


def _holds(expression: Expression, values: dict[Expression, Any]) -> bool | None:
    try:
        return bool(evaluate(expression, values))
    except (ArithmeticError, ValueError, TypeError):
        return None


def _solve(guards: Sequence[Expression], decision: Expression) -> str | dict[Expression, Any]:
    """Return "proven", "open" or inputs that satisfy the guards and not the decision."""
    variables: dict[Expression, Any] = {}
    solver = z3.Solver()
    solver.set("timeout", _MILLISECONDS)
    try:
        solver.add(*(formula(guard, variables) for guard in guards), z3.Not(formula(decision, variables)))
    except BeyondOracle:
        return "open"
    solver.add(*(v >= s.bounds[0] for s, v in variables.items() if s.kind is int and s.bounds[0] is not None))
    answer = solver.check()
    if answer == z3.unsat:
        return "proven"
    if answer == z3.unknown:
        return "open"
    model = solver.model()
    values = {s: _python_value(s, model.eval(v, model_completion=True)) for s, v in variables.items()}
    # Where a guard or the decision raises, the call falls through to another specialization
    refuted = all(_holds(guard, values) for guard in guards) and _holds(decision, values) is False
    return values if refuted else "open"


def _python_value(symbol: Expression, value: Any) -> Any:
    return z3.is_true(value) if symbol.kind is bool else value.as_long()


def _sample(guards: Sequence[Expression], decision: Expression) -> str | dict[Expression, Any]:
    inputs = sorted({s for e in (*guards, decision) for s in symbols(e)}, key=lambda s: s.order)
    generator, found = random.Random(0), False
    for _ in range(_TRIES):
        values = {s: _random_value(s, generator) for s in inputs}
        if all(_holds(guard, values) for guard in guards):
            found = True
            if _holds(decision, values) is False:
                return values
    return "sampled" if found else "untried"


def _random_value(symbol: Expression, generator: random.Random) -> Any:
    if symbol.kind is bool:
        return generator.random() < 0.5
    if symbol.kind is float:
        return generator.choice([0.0, -0.0, 0.5, 1.0, -1.5, 2.0, 1e6, float("inf"), float("nan")])
    return generator.randint(-9 if symbol.bounds[0] is None else symbol.bounds[0], 12)


def formula(expression: Expression, variables: dict[Expression, Any]) -> Any:
    """Return the z3 formula of ``expression``; ``variables`` gains a variable for each symbol.

    Raises:
        BeyondOracle: where the expression computes with floats or bits.
    """
    done: dict[Expression, Any] = {}
    for node in postorder((expression,)):
        if node.kind is float:
            raise BeyondOracle(str(node))
        if node.op == "const":
            done[node] = z3.BoolVal(node.value) if node.kind is bool else z3.IntVal(node.value)
        elif node.op == "symbol":
            make = z3.Bool if node.kind is bool else z3.Int
            done[node] = variables.setdefault(node, make(f"{node.name}#{len(variables)}"))
        else:
            done[node] = _operation(node, [done[arg] for arg in node.args])
    return done[expression]


def _floordiv(x: Any, y: Any) -> Any:
    # z3 rounds so that the remainder is not negative, Python down
    return z3.If(y > 0, x / y, (-x) / (-y))


def _operation(node: Expression, args: list[Any]) -> Any:
    logical = all(z3.is_bool(arg) for arg in args)
    if node.op in ("and_", "or_", "not_") and logical:
        return {"and_": z3.And, "or_": z3.Or, "not_": z3.Not}[node.op](*args)
    if node.op in ("eq", "ne") and logical:
        return args[0] == args[1] if node.op == "eq" else args[0] != args[1]
    numbers = [z3.If(arg, z3.IntVal(1), z3.IntVal(0)) if z3.is_bool(arg) else arg for arg in args]
    if node.op == "pow" and node.args[1].op == "const" and 0 <= node.args[1].value <= 8:
        return reduce(lambda x, y: x * y, [numbers[0]] * node.args[1].value, z3.IntVal(1))
    if node.op not in _FORMULAS:
        raise BeyondOracle(str(node))
    return _FORMULAS[node.op](*numbers)


_FORMULAS: dict[str, Any] = {
    "add": lambda *xs: reduce(lambda x, y: x + y, xs),
    "sub": lambda x, y: x - y,
    "mul": lambda *xs: reduce(lambda x, y: x * y, xs),
    "floordiv": _floordiv,
    "mod": lambda x, y: x - y * _floordiv(x, y),
    "neg": lambda x: -x,
    "pos": lambda x: x,
    "abs": lambda x: z3.If(x >= 0, x, -x),
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "min": lambda *xs: reduce(lambda x, y: z3.If(x <= y, x, y), xs),
    "max": lambda *xs: reduce(lambda x, y: z3.If(x >= y, x, y), xs),
    "not_": lambda x: x == 0,
    "to_int": lambda x: x,
    "to_bool": lambda x: x != 0,
    "floor": lambda x: x,
    "ceil": lambda x: x,
    "trunc": lambda x: x,
}
