"""Patch to ``thunder.core.module``: a jitted module is copied and pickled as its module and its options."""

from __future__ import annotations

from typing import Any

from thunder.core.module import ThunderModule
from thunder_symbolic.vocabulary import add


@add("ThunderModule.__reduce_ex__")
def reduce(self: ThunderModule, protocol: int) -> Any:
    """Return how to make the module again: its copy compiles anew, specializations are not copied."""
    from thunder.core.members import jit_again

    options = self.__dict__.get("_jit_options")
    return object.__reduce_ex__(self, protocol) if options is None else (jit_again, (self._model, options))
