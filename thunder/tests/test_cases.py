"""Each case equals eager, forward and gradient, on every shape."""

from __future__ import annotations

import pytest

from cases import CASES, MODULES
from comparison import assert_same_as_eager, specializations


@pytest.mark.parametrize("with_grad", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("name", [*CASES, *MODULES])
def test_equals_eager(name: str, with_grad: bool) -> None:
    function, calls, allowed = {**CASES, **MODULES}[name]
    jitted = assert_same_as_eager(function, calls, with_grad=with_grad)
    count = specializations(jitted)
    print(f"{name}: {count} specializations, {allowed} allowed")
    assert count <= allowed


@pytest.mark.parametrize("name", CASES)
def test_order_of_calls_does_not_matter(name: str) -> None:
    function, calls, _ = CASES[name]
    assert_same_as_eager(function, calls[::-1], with_grad=True)
