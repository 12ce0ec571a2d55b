"""A GPT compiles once for every shape, and its cleaned trace is no longer than that of constant values."""

from __future__ import annotations

import copy

import pytest
import thunder
import thunder.symbolic
import torch

from comparison import specializations
from gpt import GPT, GPTConfig

SHAPES = [(2, 16), (3, 20), (5, 33), (8, 7), (2, 64), (4, 5)]


def _batch(batch: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randint(0, 256, (batch, length)), torch.randint(0, 256, (batch, length))


@pytest.fixture(scope="module")
def model() -> GPT:
    torch.manual_seed(0)
    return GPT(GPTConfig(layers=2))


def test_one_specialization_trains_on_every_shape(model: GPT) -> None:
    eager = copy.deepcopy(model)
    jitted = thunder.jit(model, cache="symbolic values")
    for shape in SHAPES:
        batch = _batch(*shape)
        model.zero_grad()
        eager.zero_grad()
        loss, expected = jitted(*batch), eager(*batch)
        loss.backward()
        expected.backward()
        torch.testing.assert_close(loss, expected)
        for mine, theirs in zip(model.parameters(), eager.parameters(), strict=True):
            torch.testing.assert_close(mine.grad, theirs.grad)
    assert specializations(jitted) == thunder.cache_misses(jitted) == 1
    assert thunder.cache_hits(jitted) == len(SHAPES) - 1


def test_cleaned_trace_is_as_short_as_that_of_constant_values(model: GPT) -> None:
    batch = _batch(3, 20)
    symbolic = thunder.jit(copy.deepcopy(model), cache="symbolic values")
    constant = thunder.jit(copy.deepcopy(model))
    symbolic(*batch)
    constant(*batch)
    count = thunder.symbolic.count_bound_symbols
    cleaned, reference = thunder.last_traces(symbolic)[0], thunder.last_traces(constant)[0]
    recorded = thunder.symbolic.recorded_trace(symbolic)
    print(f"recorded {count(recorded)}, cleaned {count(cleaned)}, constant values {count(reference)}")
    assert count(cleaned) <= 1.1 * count(reference)
    assert thunder.symbolic.count_unpacks(cleaned) < thunder.symbolic.count_unpacks(recorded) / 10


def test_no_number_operation_runs_for_nothing(model: GPT) -> None:
    jitted = thunder.jit(copy.deepcopy(model), cache="symbolic values")
    jitted(*_batch(3, 20))
    for trace in (thunder.last_traces(jitted)[-1], thunder.last_backward_traces(jitted)[-1]):
        thunder.symbolic.verify_trace(trace, stage="execution")
        used = {p.name for bsym in trace.bound_symbols if bsym.sym.name != "python_del" for p in bsym.flat_proxy_args}
        for bsym in trace.bound_symbols:
            if thunder.symbolic.is_number_operation(bsym):
                assert used & {proxy.name for proxy in bsym.flat_proxy_outs}, str(bsym)
