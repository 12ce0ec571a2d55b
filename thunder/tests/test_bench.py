"""The benchmark's figures follow from what its peers answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bench import WrongOutput, _check, main, parse_options
from bench_report import Results, print_results, targets, write_files
from peer import one_shape, sweep
from workloads import WORKLOADS

LABEL = "gpt 4, inference"


def _answer(wall: float, traces: str = "same") -> dict[str, Any]:
    return {"wall": wall, "cpu": wall / 2, "traces": traces, "clean_up": wall / 20, "verifier": wall / 50}


@pytest.fixture
def results() -> Results:
    made = Results({"python_version": "3"}, sweep_shapes=30, constant_shapes=6)
    walls = {"symbolic": (2.0, 3.0, 30.0), "constant": (4.0,), "upstream": (10.0, 9.0, 11.0), "torch.compile": (20.0,)}
    for peer, seconds in walls.items():
        for wall in seconds:
            made.add_compilation("gpt 4", False, peer, _answer(wall))
    made.add_verification("gpt 4", False, _answer(5.0))
    for peer, calls in {"symbolic": [3.0] + [0.1] * 29, "constant": [4.0] * 6, "torch.compile": [18.0] * 30}.items():
        made.add_sweep("gpt 4", False, peer, {"wall": calls, "cpu": calls})
    return made


def test_ratios_are_of_medians(results: Results) -> None:
    assert results.ratio(LABEL, "symbolic", "upstream") == 3.0 / 10.0
    assert results.ratio(LABEL, "symbolic", "upstream", "cpu") == 3.0 / 10.0
    assert results.ratio(LABEL, "symbolic", "eager") is None


def test_a_sweep_of_constant_values_is_extrapolated(results: Results) -> None:
    assert results.sweep_seconds(LABEL, "constant") == pytest.approx(4.0 * 30)
    assert results.sweep_seconds(LABEL, "symbolic") == pytest.approx(5.9)
    assert results.sweep_seconds(LABEL, "eager") is None


def test_targets_say_what_is_met_and_what_is_not_measured(results: Results) -> None:
    met = {target.name: target.row()[3] for target in targets(results)}
    assert met[f"{LABEL}: symbolic / upstream compile (wall)"] == "yes"
    assert met[f"{LABEL}: sweep, symbolic / constant"] == "yes"
    assert met[f"{LABEL}: sweep, symbolic / upstream"] == ""
    results.sweeps[LABEL]["symbolic"][0]["wall"] = [400.0] * 30
    assert {t.name: t.row()[3] for t in targets(results)}[f"{LABEL}: sweep, symbolic / torch.compile"] == "[bold]no[/]"


@pytest.mark.parametrize(("traces", "word"), [("same", "same traces"), ("other", "TRACES DIFFER")])
def test_traces_are_compared(results: Results, traces: str, word: str) -> None:
    results.add_compilation("gpt 4", False, "constant", _answer(4.0, traces))
    assert [target.note for target in targets(results) if "constant / upstream" in target.name] == [word]


def test_failures_are_shown_and_all_is_written(results: Results, tmp_path: Path) -> None:
    results.add_compilation("mlp", True, "symbolic", {"error": "ValueError: broken"})
    console = Console(record=True, width=160)
    print_results(results, console)
    write_files(results, tmp_path, console)
    text = console.export_text()
    assert "mlp, training step by symbolic: ValueError: broken" in text and "failed" in text
    assert json.loads((tmp_path / "benchmark.json").read_text())["compilations"][LABEL]["symbolic"]
    assert (tmp_path / "benchmark.png").stat().st_size > 1000


def test_a_peer_answers_with_what_it_measured() -> None:
    symbolic, constant = (one_shape(peer, "1 ops", False, peer == "symbolic") for peer in ("symbolic", "constant"))
    assert symbolic["value"] == pytest.approx(constant["value"])
    assert symbolic["verifier"] > 0 and symbolic["clean_up"] > 0 and constant["clean_up"] == 0
    swept = sweep("symbolic", "1 ops", False, 3)
    assert len(swept["wall"]) == len(swept["values"]) == 3


def test_workloads_have_distinct_shapes() -> None:
    assert all(len(set(workload.shapes)) == 30 for workload in WORKLOADS.values())


def test_a_wrong_output_ends_the_run() -> None:
    _check("equal", 1.0, 1.0 + 1e-6)
    for value in (1.1, float("nan")):
        with pytest.raises(WrongOutput):
            _check("different", value, 1.0)


def test_options() -> None:
    assert set(parse_options(["--quick"]).workloads) < set(parse_options([]).workloads) == set(WORKLOADS)
    for wrong in (["--repeats", "0"], ["--workloads", "none"]):
        with pytest.raises(SystemExit):
            main(wrong)
