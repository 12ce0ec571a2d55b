"""Operators that Thunder lacks because their shapes or branches depend on data: the error names operator and line."""

from __future__ import annotations

import torch

from programs.program import Program as P
from programs.program import rows

PROGRAMS = {
    "a boolean mask": P(lambda x: x[x > 0] * 2, rows(5, 3), lacks="index"),
    "nonzero": P(lambda x: x.nonzero() * 2, rows(5, 3), lacks="nonzero"),
    "unique": P(lambda x: torch.unique(x), rows(5, 3), lacks="unique"),
    "masked_select": P(lambda x: torch.masked_select(x, x > 0), rows(5, 3), lacks="masked_select"),
    "where of one": P(lambda x: torch.where(x > 0)[0], rows(5, 3), lacks="where"),
    "a branch on data": P(lambda x: x + 1 if x.sum() > 0 else x - 1, rows(5, 3), lacks="bool"),
    "a loop on data": P(lambda x: sum(x for _ in range(int(x.abs().sum()))), rows(5, 3), lacks="int"),
    "tolist": P(lambda x: x * x.tolist()[0][0], rows(5, 3), lacks="tolist"),
    "bincount": P(lambda x: torch.bincount(x.argmax(1)), rows(5, 3), lacks="bincount"),
    "repeats by data": P(lambda x: x.repeat_interleave(x.argmax(1), 0), rows(5, 3), lacks="repeat_interleave"),
}
