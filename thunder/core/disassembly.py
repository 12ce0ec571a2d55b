"""The disassembly of a code object, made once."""

from __future__ import annotations

import dis
from collections.abc import Iterable
from types import CodeType, ModuleType
from typing import Any

from torch.utils.weak import WeakIdKeyDictionary


def memoized_dis() -> ModuleType:
    """Return a module like ``dis`` whose ``get_instructions`` disassembles each code object once.

    Instructions are kept while their code object lives, by its identity: equal code objects may differ in their
    source positions.
    """
    known: Any = WeakIdKeyDictionary()

    def get_instructions(x: Any, **options: Any) -> Iterable[dis.Instruction]:
        if options or type(x) is not CodeType:
            return dis.get_instructions(x, **options)
        instructions: tuple[dis.Instruction, ...] | None = known.get(x)
        if instructions is None:
            instructions = known[x] = tuple(dis.get_instructions(x))
        return instructions

    module = ModuleType(dis.__name__, dis.__doc__)
    module.__dict__.update({name: value for name, value in vars(dis).items() if not name.startswith("__")})
    module.__dict__["get_instructions"] = get_instructions
    return module
