"""Small programs by kind, each with its inputs and the specializations it may take: what users write, one line each.

The first inputs compile, the others go through the same callable; each program runs forward and backward, in both
orders of its inputs. ``PROGRAMS`` maps a kind to its programs by name.
"""

from __future__ import annotations

from importlib import import_module

from programs.program import Program

_KINDS = {
    "numbers of Python": "numbers",
    "arguments that are no tensors": "arguments",
    "values outside the arguments": "surroundings",
    "branches and loops": "control_flow",
    "indices and slices": "indexing",
    "parts": "parts",
    "shapes": "shapes",
    "new tensors": "creation",
    "broadcasting": "broadcasting",
    "reductions": "reductions",
    "products of matrices": "products",
    "layers and losses": "layers",
    "layout": "layout",
    "errors": "errors",
    "shapes that depend on data": "data_dependent",
}

PROGRAMS: dict[str, dict[str, Program]] = {
    kind: import_module(f"programs.{module}").PROGRAMS for kind, module in _KINDS.items()
}
