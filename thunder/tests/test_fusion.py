"""Regions that torch.compile fuses take dims as scalars and serve every shape."""

from __future__ import annotations

from typing import Any

import pytest
import thunder
import torch
from thunder.executors.torch_compile import torch_compile_ex

from cases import CASES, MODULES
from comparison import assert_same_as_eager, specializations

_NAMES = ["reshape_numel_relu", "slice_half", "rotary", "mlp"]


@pytest.mark.parametrize("with_grad", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("name", _NAMES)
def test_fused_regions_equal_eager(name: str, with_grad: bool) -> None:
    function, calls, allowed = {**CASES, **MODULES}[name]
    jitted = assert_same_as_eager(function, calls, with_grad=with_grad, executors=[torch_compile_ex])
    assert specializations(jitted) <= allowed
    regions = [bsym for bsym in thunder.last_traces(jitted)[-1].bound_symbols if bsym.sym.is_fusion]
    assert regions


def test_a_region_lists_each_dim_once() -> None:
    def function(a: torch.Tensor) -> Any:
        return torch.reshape(a, [a.numel()]).relu() + torch.ones(a.numel())

    jitted = thunder.jit(function, cache="symbolic values", executors=[torch_compile_ex])
    a = torch.randn(4, 5)
    torch.testing.assert_close(jitted(a), function(a))
    for bsym in thunder.last_traces(jitted)[-1].bound_symbols:
        if bsym.sym.is_fusion:
            names = [proxy.name for proxy in bsym.flat_proxy_args]
            assert len(names) == len(set(names))
