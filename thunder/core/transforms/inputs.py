"""Where the inputs of a traced function come from: their names for people, and which of them are static."""

from __future__ import annotations

from typing import Any

import torch
from thunder.core.compile_data import guard_recorder
from thunder.core.interpreter import ProvenanceRecord, PseudoInst
from thunder.core.transforms.access_paths import ARGS, FUNCTION, KWARGS, Parameters, Path

_MEMBER_TABLES = {"_parameters", "_buffers"}
_ROOTS = {"INPUT_ARGS": ARGS, "INPUT_KWARGS": KWARGS, "INPUT_FN": FUNCTION}


def _opcode(record: ProvenanceRecord) -> Any:
    return getattr(record.inst, "opname", None) or record.inst.value


def root_of(record: ProvenanceRecord) -> ProvenanceRecord:
    """Return the record at the root of an access path: the arguments, the keyword arguments or the function."""
    while record.inputs:
        record = record.inputs[0]
    return record


def is_argument(record: ProvenanceRecord) -> bool:
    """Return whether the value was reached through the call's arguments, not through the function or module."""
    return root_of(record).inst in (PseudoInst.INPUT_ARGS, PseudoInst.INPUT_KWARGS)


def has_static_dims(t: torch.Tensor, record: ProvenanceRecord) -> bool:
    """Return whether ``t`` is a parameter or buffer: the dims of those belong to the model, not to the call."""
    if isinstance(t, torch.nn.Parameter):
        return True
    while record.inputs:
        if any(_is_constant(part, _MEMBER_TABLES) for part in record.inputs):
            return True
        record = record.inputs[0]
    return False


def _is_constant(record: ProvenanceRecord, values: set[str]) -> bool:
    return record.inst is PseudoInst.CONSTANT and isinstance(record.value, str) and record.value in values


def path_of(record: ProvenanceRecord) -> str:
    """Return the access path of an input as the user would write it, such as ``batch['mask']``."""
    recorder = guard_recorder()
    return (Parameters() if recorder is None else recorder.parameters).describe(access_path(record))


def access_path(record: ProvenanceRecord) -> Path:
    """Return how an input is reached."""
    opcode = _opcode(record)
    if opcode in _ROOTS:
        return _ROOTS[opcode]
    if opcode in ("LOAD_ATTR", "BINARY_SUBSCR") and len(record.inputs) == 2:
        base, key = record.inputs
        value = key.value if _opcode(key) == "CONSTANT" else access_path(key)
        return Path("attribute" if opcode == "LOAD_ATTR" else "item", access_path(base), value)
    return access_path(record.inputs[0]) if record.inputs else Path("opaque", key=opcode.lower())
