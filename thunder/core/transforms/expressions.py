"""Numbers as functions of a program's inputs: their normal form, and what follows from assumptions about them.

Integer expressions are polynomials over symbols and over operations that are not polynomial, such as ``//``. Each rule
of the normal form holds for all Python ints, keeps every error that Python may raise, and needs no solver.
"""

from __future__ import annotations

from thunder.core.transforms.expression_apply import apply, register
from thunder.core.transforms.expression_code import emit
from thunder.core.transforms.expression_facts import Facts
from thunder.core.transforms.expression_nodes import Expression, bounds, constant, evaluate, symbol, symbols
from thunder.core.transforms.expression_rules import exact_quotient

__all__ = [
    "Expression",
    "Facts",
    "apply",
    "bounds",
    "constant",
    "emit",
    "evaluate",
    "exact_quotient",
    "register",
    "symbol",
    "symbols",
]
