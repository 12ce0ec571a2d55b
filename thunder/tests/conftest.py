"""Every trace of every test is verified, and threads are pinned."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


@pytest.fixture(autouse=True)
def verified(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the verifier after every pass of every test."""
    monkeypatch.setenv("THUNDER_VERIFY", "1")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
