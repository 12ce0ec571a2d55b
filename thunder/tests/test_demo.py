"""The demo: its batches, its checks, and a short run of all of it."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import sys
from pathlib import Path

import pytest
import torch
from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import measure
import text
import train
from gpt import GPT, GPTConfig
from report import Summary

SMALL = GPTConfig(layers=1, width=16, heads=2)


def batches_of(steps: int, seed: int = 0) -> list[text.Batch]:
    return text.make_batches(text.TEXT.read_bytes(), steps, seed, context=128)


def test_batches_are_the_same_for_the_same_seed() -> None:
    for one, other in zip(batches_of(20), batches_of(20), strict=True):
        assert torch.equal(one.tokens, other.tokens)
        assert torch.equal(one.targets, other.targets)
    assert [batch.shape for batch in batches_of(20)] != [batch.shape for batch in batches_of(20, seed=1)]


def test_batch_size_and_length_both_vary() -> None:
    shapes = text.shapes_of(batches_of(train.Options().steps))
    assert len(shapes) >= 10
    assert {size for size, _ in shapes} == set(text.BATCH_SIZES)
    assert len({length for _, length in shapes}) >= 5


def test_targets_are_the_bytes_that_follow_the_tokens() -> None:
    content = text.TEXT.read_bytes()
    for batch in batches_of(10):
        for tokens, targets in zip(batch.tokens.tolist(), batch.targets.tolist(), strict=True):
            assert tokens[1:] == targets[:-1]
            assert bytes([*tokens, targets[-1]]) in content


def test_windows_start_at_sentences_and_stay_inside_the_text() -> None:
    assert text.bucket_sentences(b"One. A second sentence! Is it? Yes.", context=128, bucket=8) == {
        8: [0, 24],
        24: [5],
    }


def test_lengths_end_at_the_context() -> None:
    assert max(text.bucket_sentences(text.TEXT.read_bytes(), context=32)) == 32


def test_a_text_without_room_for_a_window_is_an_error() -> None:
    with pytest.raises(ValueError, match="too short"):
        text.make_batches(b"Short.", steps=1, seed=0, context=128)


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [([(2, 16), (3, 32)], 1), ([(2, 16), (1, 16)], 2), ([(1, 16), (1, 32)], 1), ([(2, 1), (1, 2), (3, 3)], 3)],
)
def test_only_a_size_of_one_calls_for_another_specialization(shapes: list[tuple[int, int]], expected: int) -> None:
    batches = [text.Batch(torch.zeros(shape), torch.zeros(shape)) for shape in shapes]
    assert text.expected_specializations(batches) == expected


def test_the_model_attends_only_to_the_past() -> None:
    torch.manual_seed(0)
    model = GPT(SMALL)
    logits: list[torch.Tensor] = []
    model.head.register_forward_hook(lambda module, args, output: logits.append(output))
    tokens = torch.randint(0, 256, (2, 12))
    changed = tokens.clone()
    changed[:, 8:] = (changed[:, 8:] + 1) % 256
    for sequence in (tokens, changed):
        model(sequence, tokens)
    torch.testing.assert_close(logits[0][:, :8], logits[1][:, :8])
    assert not torch.allclose(logits[0][:, 8:], logits[1][:, 8:])


def test_more_tokens_than_the_context_are_an_error() -> None:
    tokens = torch.zeros(1, 129, dtype=torch.long)
    with pytest.raises(ValueError, match="129 tokens do not fit into a context of 128"):
        GPT(SMALL)(tokens, tokens)


def test_a_copy_of_the_model_repeats_its_losses() -> None:
    model = GPT(SMALL)
    other = copy.deepcopy(model)
    for batch in batches_of(3):
        assert measure.run_step(model, batch)[0] == measure.run_step(other, batch)[0]


@pytest.mark.parametrize("symbolic", [1.001, float("nan"), float("inf")])
def test_a_loss_that_differs_is_named_with_its_step_and_shape(symbolic: float) -> None:
    with pytest.raises(train.DemoFailure, match=r"step 7, shape \d+x\d+: the loss is"):
        train.check_equal("loss", 7, batches_of(1)[0], symbolic, eager=1.0)


class DoubledGradient(GPT):
    def forward(self, tokens: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        loss = super().forward(tokens, targets)
        return 2 * loss - loss.detach()


def test_a_gradient_wrong_by_a_factor_is_seen() -> None:
    model = GPT(SMALL)
    wrong = DoubledGradient(SMALL)
    wrong.load_state_dict(model.state_dict())
    with pytest.raises(train.DemoFailure, match=r"step 1, shape \d+x\d+: the gradient's norm is"):
        train.train(wrong, model, batches_of(1), Console(file=io.StringIO()))


def test_a_loss_within_the_tolerance_passes() -> None:
    train.check_equal("loss", 7, batches_of(1)[0], 1.0 + train.RTOL / 2, eager=1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--steps", "0"], "must be a whole number of at least 1, not '0'"),
        (["--steps", "many"], "must be a whole number of at least 1, not 'many'"),
        (["--output", __file__], "is a file, not a folder"),
    ],
)
def test_wrong_options_are_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        train.parse_options(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Summary, Path, str]:
    output = tmp_path_factory.mktemp("demo")
    console = Console(file=io.StringIO(), width=160)
    summary = train.run(train.Options(steps=4, output=output, config=SMALL), console)
    assert isinstance(console.file, io.StringIO)
    return summary, output, console.file.getvalue()


def test_one_compilation_serves_every_batch(finished: tuple[Summary, Path, str]) -> None:
    summary, _, _ = finished
    assert len(summary.shapes) > 1
    assert summary.specializations == summary.cache_misses == summary.expected_specializations == 1
    train.check_specializations(summary)


def test_losses_equal_eager_at_each_step(finished: tuple[Summary, Path, str]) -> None:
    summary, _, _ = finished
    assert summary.losses_symbolic == pytest.approx(summary.losses_eager, rel=train.RTOL)
    assert len(summary.losses_symbolic) == summary.steps == 4


def test_the_clean_up_leaves_less_than_was_recorded(finished: tuple[Summary, Path, str]) -> None:
    summary, _, _ = finished
    assert summary.bound_symbols_cleaned < summary.bound_symbols_recorded
    assert 1 <= summary.unpacks_cleaned < summary.unpacks_recorded


def test_results_are_written(finished: tuple[Summary, Path, str]) -> None:
    summary, output, printed = finished
    assert "def computation(" in (output / "cleaned_trace.py").read_text()
    assert (output / "step_time.png").read_bytes().startswith(b"\x89PNG")
    written = json.loads((output / "summary.json").read_text())
    assert written["specializations"] == summary.specializations
    assert len(written["step_seconds"]["symbolic"]) == len(summary.shapes)
    assert len(written["step_seconds"]["constant"]) == 2
    assert "extrapolated" in printed


def test_more_specializations_than_expected_fail(finished: tuple[Summary, Path, str]) -> None:
    summary, _, _ = finished
    for more in (dataclasses.replace(summary, specializations=2), dataclasses.replace(summary, cache_misses=2)):
        with pytest.raises(train.DemoFailure, match=r"expected 1$"):
            train.check_specializations(more)


def test_a_failure_is_the_exit_status(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_: object) -> Summary:
        raise train.DemoFailure("step 7 differs")

    monkeypatch.setattr(train, "run", fail)
    monkeypatch.setattr(torch, "set_num_threads", lambda threads: None)
    assert train.main([]) == 1
    assert "failed: step 7 differs" in capsys.readouterr().out
