"""A fixed sample of random programs equals eager, and the guards of each imply its decisions."""

from __future__ import annotations

from typing import Any

import pytest
import thunder
import torch
from hypothesis import HealthCheck, given, seed, settings
from thunder.core.transforms.expressions import apply, constant, symbol

import oracle
from fuzz_programs import FuzzedProgram
from fuzz_statements import programs
from run_fuzz import check

SAMPLES = {"max_examples": 25, "suppress_health_check": list(HealthCheck)}


@pytest.mark.parametrize("part", range(4))
def test_random_programs_equal_eager(part: int) -> None:
    @seed(part)
    @settings(**SAMPLES)
    @given(programs(calls=3 + part % 2))
    def run(program: FuzzedProgram) -> None:
        findings = check(program, part, prove=True)
        assert not findings.differences, "\n".join(findings.differences.values())

    run()


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    program = FuzzedProgram("def program(a):\n    return a * a.shape[0]\n", [[(3,)], [(5,)]])
    assert not check(program, 0).differences
    jit = thunder.jit
    monkeypatch.setattr(thunder, "jit", lambda function, **options: jit(lambda a: function(a) + 1, **options))
    findings = check(program, 0)
    assert findings.count == 2 and "program(a)" in next(iter(findings.differences.values()))


def test_a_missing_guard_is_refuted() -> None:
    n = symbol("oracle", "n", int, lower=0)
    five = constant(5)
    assert oracle.prove([apply("ge", n, five)], [apply("ge", n, constant(3))]).proven == 1
    (text,) = oracle.prove([apply("ge", n, constant(3))], [apply("ge", n, five)]).refuted
    assert text.startswith("n >= 5 does not hold for n = ")
    assert oracle.prove([apply("ge", n, five), apply("ge", n, constant(3))], []).redundant == 1
    root = apply("gt", apply("sqrt", apply("to_float", n)), constant(2.0))
    assert oracle.prove([apply("ge", n, five)], [root]).sampled == 1
    assert oracle.prove([apply("ge", n, constant(3))], [root]).refuted


def test_division_is_that_of_python() -> None:
    n, m = symbol("oracle", "n", int), symbol("oracle", "m", int)
    for op in ("floordiv", "mod"):
        for x in range(-7, 8):
            for y in (-3, -2, 2, 3):
                given_values = [apply("eq", n, constant(x)), apply("eq", m, constant(y))]
                value = x // y if op == "floordiv" else x % y
                assert oracle.prove(given_values, [apply("eq", apply(op, n, m), constant(value))]).proven == 1


def test_arguments_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    program = FuzzedProgram("def program(a, n, xs):\n    return a\n", [[(2, 3), 4, [(), 1.5]]])
    ((a, n, xs),) = program.arguments()
    assert a.shape == (2, 3) and a.dtype is torch.float64 and n == 4
    assert xs[0].shape == () and xs[1] == 1.5


def test_text_is_what_runs() -> None:
    function: Any = FuzzedProgram("def program(a):\n    return a + 1\n", []).function()
    assert function(2) == 3
