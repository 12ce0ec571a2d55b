"""Programs are interpreted with less work than by upstream, and to the same traces."""

from __future__ import annotations

import collections
import dis
import gc
import json
import os
import subprocess
import sys
import weakref
from collections import Counter
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
import thunder
import torch
from thunder.core import interpreter
from thunder.core.options import DebugOptions

from gpt import GPT, GPTConfig

HERE = Path(__file__).resolve().parent


def _compiled_programs(setting: str) -> dict[str, str]:
    environment = {**os.environ, "THUNDER_SYMBOLIC": setting, "THUNDER_VERIFY": "0"}
    environment["PYTHONPATH"] = str(HERE.parent.parent / "examples")
    command = [sys.executable, "-W", "ignore", str(HERE / "interpreted.py")]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    programs: dict[str, str] = json.loads(result.stdout)
    return programs


def test_constant_values_have_the_traces_of_upstream() -> None:
    upstream, patched = _compiled_programs("compat"), _compiled_programs("on")
    assert set(patched) == set(upstream)
    for name, text in patched.items():
        assert text == upstream[name], name


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return the count of interpreted frames by the qualified name of their code."""
    counts: Counter[str] = Counter()
    run = interpreter._run_frame

    def counting(frame: Any, *args: Any, **kwargs: Any) -> Any:
        counts[frame.code.co_qualname] += 1
        return run(frame, *args, **kwargs)

    monkeypatch.setattr(interpreter, "_run_frame", counting)
    return counts


def test_subscripts_and_globals_are_read_without_a_frame(frames: Counter[str]) -> None:
    options = {"list": [1, 2], "tuple": (3, 4), "ordered": collections.OrderedDict(a=5)}

    def function(x: torch.Tensor) -> torch.Tensor:
        return x * options["list"][0] + options["tuple"][-1] - options["ordered"]["a"] + OFFSET

    jitted = thunder.jit(function)
    assert torch.equal(jitted(torch.ones(2)), function(torch.ones(2)))
    internal = {name: count for name, count in frames.items() if "getitem" in name or "globals_lookup" in name}
    assert internal == {}


def test_python_builtins_of_containers_and_numbers_need_no_frame(frames: Counter[str]) -> None:
    class Scale:
        def __init__(self, by: int) -> None:
            self.by = by

        def of(self, x: torch.Tensor, *rest: int, **options: int) -> torch.Tensor:
            return x * self.by + sum_of(*rest) if options else x

    def sum_of(a: int, b: int) -> int:
        return a + b

    scale = Scale(3)

    def function(x: torch.Tensor) -> torch.Tensor:
        numbers, options = [1, 2], {"flag": 1}
        if numbers and options and len(numbers) == 2 and options and "flag" in options and not None:
            x = scale.of(x, *numbers, **options)
        return x

    jitted = thunder.jit(function)
    assert torch.equal(jitted(torch.ones(2)), function(torch.ones(2)))
    direct = (
        "_len_",
        "_bool_",
        "_contains_",
        "_list_extend_",
        "_dict_merge_",
        "_call_dispatch",
        "wrap_args",
        "wrap_kwargs",
    )
    assert [name for name in frames if name.startswith(direct)] == []


_LOGGED = {"debug_options": DebugOptions(record_interpreter_history=True)}


@pytest.mark.parametrize("option", [_LOGGED, {"sharp_edges": "warn"}], ids=["log", "sharp edges"])
@pytest.mark.filterwarnings("ignore:.*sharp edge")
def test_logs_and_sharp_edges_show_what_upstream_shows(option: dict[str, Any], frames: Counter[str]) -> None:
    jitted = thunder.jit(lambda x: x + len([1, 2]), **option)
    assert torch.equal(jitted(torch.ones(2)), torch.full((2,), 3.0))
    assert frames["_len_lookaside.<locals>.impl"] == 1


def test_traceback_of_an_exception_names_the_line_of_the_user() -> None:
    def failing(x: torch.Tensor) -> torch.Tensor:
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose") as caught:
        thunder.jit(failing)(torch.ones(2))
    entry = caught.traceback[-1]
    code = failing.__code__
    assert (entry.frame.code.raw.co_name, entry.lineno + 1) == ("failing", code.co_firstlineno + 1)
    assert str(entry.path) == __file__


OFFSET = 7.0


@pytest.mark.parametrize("cache", ["constant values", "symbolic values"])
def test_code_is_disassembled_once(cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[CodeType] = []
    disassemble = dis.get_instructions

    def counting(code: Any, **options: Any) -> Any:
        seen.append(code)
        return disassemble(code, **options)

    monkeypatch.setattr(dis, "get_instructions", counting)
    namespace: dict[str, Any] = {}
    exec("def fresh(x):\n    return x * 2", namespace)
    model = torch.nn.Sequential(GPT(GPTConfig(layers=1)).blocks[0])
    for length in (3, 5):
        thunder.jit(model, cache=cache)(torch.zeros(2, length, 64))
        thunder.jit(namespace["fresh"], cache=cache)(torch.zeros(2, length))
    assert namespace["fresh"].__code__ in seen
    assert max(Counter(map(id, seen)).values()) == 1  # by identity, as equal code has its own positions


def test_equal_code_keeps_its_own_positions() -> None:
    code = compile("x = 1\ny = 2\n", "file", "exec")
    other = code.replace(co_linetable=compile("x = 1; y = 2", "file", "exec").co_linetable)
    lines = [[i.positions.lineno for i in interpreter.dis.get_instructions(c)] for c in (code, other)]
    assert lines == [[i.positions.lineno for i in dis.get_instructions(c)] for c in (code, other)]
    assert lines[0] != lines[1]


def test_disassembled_code_is_not_kept_alive() -> None:
    code = compile("lambda: [x for x in y]", "file", "exec")
    assert interpreter.dis.get_instructions(code) is interpreter.dis.get_instructions(code)
    reference = weakref.ref(code)
    del code
    gc.collect()
    assert reference() is None
