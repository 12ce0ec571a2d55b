"""What a program asks of strides is answered for the call's tensor."""

from __future__ import annotations

import torch

from programs.program import Calls, rows
from programs.program import Program as P

ASKED = "a layout each"


def layouts(*lengths: int) -> Calls:
    """Return calls with matrices of two columns, contiguous and not."""
    contiguous = [(torch.randn(n, 2),) for n in lengths]
    return [*contiguous, *((torch.randn(2, n).t(),) for n in lengths)]


PROGRAMS = {
    "if contiguous": P(lambda x: x * 2 if x.is_contiguous() else x, layouts(5, 3), 2, ASKED),
    "if contiguous, always": P(lambda x: x * 2 if x.is_contiguous() else x, rows(5, 3, 1, 0)),
    "stride of a dim": P(lambda x: x * x.stride(0), layouts(5, 3), 2, ASKED),
    "stride of contiguous rows": P(lambda x: x * x.stride(0), rows(5, 3, 4)),
    "strides": P(lambda x: x * sum(x.stride()), layouts(5, 3), 3, ASKED),
    "if transposed": P(lambda x: x.t() * 2 if x.stride(0) < x.stride(1) else x, layouts(5, 3), 2, ASKED),
    "contiguous": P(lambda x: x.contiguous() * 2, layouts(5, 3)),
    "contiguous of a transpose": P(lambda x: x.t().contiguous().view(-1) * 2, rows(5, 3, 1)),
    "view of an input": P(lambda x: x.view(-1) * 2, layouts(5, 3), 2, ASKED),
    "view of a transpose": P(lambda x: x.t().view(-1) * 2, rows(5, 3), 2, ASKED),
    "reshape of any layout": P(lambda x: x.reshape(-1) * 2, layouts(5, 3)),
    "channels last": P(
        lambda x: x * 2 if x.is_contiguous(memory_format=torch.channels_last) else x,
        [(torch.randn(2, 3, 4, 5),), (torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),)],
        2,
        ASKED,
    ),
    "a layout not asked for": P(lambda x: x * 2 + x.shape[0], layouts(5, 3)),
    "slices as inputs": P(lambda x: x * 2, [(torch.randn(6, 4)[::2, 1:3],), (torch.randn(5, 2),)]),
}
