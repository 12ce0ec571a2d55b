"""A jitted module follows its module, and is copied and pickled with its options."""

from __future__ import annotations

import copy
import pickle

import pytest
import thunder
import torch
from torch import nn

from comparison import specializations

X = torch.randn(4, 3)


def _model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Sequential(nn.Linear(3, 2))).eval()


def _assert_follows(model: nn.Module, jitted: nn.Module) -> None:
    torch.testing.assert_close(jitted(X), model(X))
    assert [p for _, p in jitted.named_parameters()] == list(model.parameters())
    assert [b for _, b in jitted.named_buffers()] == list(model.buffers())


def test_assigned_members_are_read() -> None:
    model = _model()
    jitted = thunder.jit(model, cache="symbolic values")
    _assert_follows(model, jitted)
    model[0].weight = nn.Parameter(torch.randn(3, 3))
    _assert_follows(model, jitted)
    model[1].running_mean = torch.randn(3)
    _assert_follows(model, jitted)
    model[2][0] = nn.Linear(3, 2).eval()
    _assert_follows(model, jitted)
    assert specializations(jitted) == 1
    model[2] = nn.Linear(3, 5)  # of another shape
    _assert_follows(model, jitted)


def test_what_is_assigned_to_the_jitted_module_comes_first() -> None:
    model = _model()
    jitted = thunder.jit(model, cache="symbolic values")
    bias = nn.Parameter(torch.randn(3))
    jitted._overrides_parameters["0.bias"] = bias
    assert jitted.get_parameter("0.bias") is bias and model[0].bias is not bias
    del jitted._overrides_parameters["0.bias"]
    assert jitted.get_parameter("0.bias") is model[0].bias
    with pytest.raises(AttributeError):
        jitted.get_parameter("0.missing")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["copy", "pickle"])
def test_copies_are_jitted_modules_of_their_own(copied: type) -> None:
    model = _model()
    jitted = thunder.jit(model, cache="symbolic values", executors=["torch"])
    jitted(X)
    other = copied(jitted)
    torch.testing.assert_close(other(X), model(X))
    assert thunder.compile_data(other).cache_option is thunder.CACHE_OPTIONS.SYMBOLIC_VALUES
    assert len(thunder.compile_data(other).executors_list) == len(thunder.compile_data(jitted).executors_list)
    with torch.no_grad():
        model[0].weight.add_(1)
    torch.testing.assert_close(jitted(X), model(X))
    assert not torch.allclose(other(X), model(X))
