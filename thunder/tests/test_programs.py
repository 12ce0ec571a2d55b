"""The runner of the small programs tells right, wrong, silent, crashing and lacking ones apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import thunder
import torch

import run_programs
from programs import PROGRAMS
from programs.program import Program, rows


def _outcome(monkeypatch: pytest.MonkeyPatch, program: Program, jit: Callable[..., Any] = thunder.jit) -> str:
    monkeypatch.setitem(PROGRAMS, "test", {"program": program})
    monkeypatch.setattr(thunder, "jit", jit)
    return run_programs.judge("test", "program").outcome


def _instead(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda _, **options: function


def _raises(x: torch.Tensor) -> torch.Tensor:
    raise ValueError(f"torch.nonzero is lacking at {run_programs.__file__}")


def test_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROGRAMS, "test", {"program": Program(lambda x: x * x.shape[0], rows(3, 5))})
    verdict = run_programs.judge("test", "program")
    assert (verdict.outcome, verdict.specializations, verdict.details) == ("right", 1, [])


def test_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = rows(3, 5)
    monkeypatch.setattr(run_programs, "specializations", lambda _: 1)
    assert _outcome(monkeypatch, Program(lambda x: x * 2, calls), _instead(lambda x: x * 3)) == "wrong"
    assert _outcome(monkeypatch, Program(lambda x: x * 2, calls), _instead(lambda x: (x * 2).detach())) == "wrong"
    assert _outcome(monkeypatch, Program(lambda x: x * 2, calls, lacks="mul")) == "wrong"


def test_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _outcome(monkeypatch, Program(_raises, rows(3)), _instead(lambda x: x)) == "silent"


def test_crash_and_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(lambda x: x, rows(3), lacks="nonzero")
    assert _outcome(monkeypatch, program, _instead(_raises)) == "crash"  # its error names no line

    def names_line(x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("torch.nonzero at tests/programs/data_dependent.py:12")

    assert _outcome(monkeypatch, program, _instead(names_line)) == "lacking"
    assert _outcome(monkeypatch, Program(lambda x: x, rows(3)), _instead(names_line)) == "crash"


def test_every_kind_has_programs_whose_cost_is_explained() -> None:
    programs = [program for kind in PROGRAMS.values() for program in kind.values()]
    assert len(programs) >= 200 and all(PROGRAMS.values())
    assert all(program.why for program in programs if program.allowed > 1)
