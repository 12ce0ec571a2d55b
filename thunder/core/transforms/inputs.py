"""Where the inputs of a traced function come from: their names for people, and which of them are static."""

from __future__ import annotations

from typing import Any

import torch
from thunder.core.interpreter import ProvenanceRecord, PseudoInst

_MEMBER_TABLES = {"_parameters", "_buffers"}


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
    """Return a readable access path such as ``args[0]['mask']`` for an input."""
    opcode = _opcode(record)
    if opcode == "INPUT_ARGS":
        return "args"
    if opcode == "INPUT_KWARGS":
        return "kwargs"
    if opcode == "INPUT_FN":
        return "fn"
    if opcode == "CONSTANT":
        return repr(record.value)
    if opcode == "LOAD_ATTR" and len(record.inputs) == 2:
        return f"{path_of(record.inputs[0])}.{record.inputs[1].value}"
    if opcode == "BINARY_SUBSCR" and len(record.inputs) == 2:
        return f"{path_of(record.inputs[0])}[{path_of(record.inputs[1])}]"
    return path_of(record.inputs[0]) if record.inputs else opcode.lower()
