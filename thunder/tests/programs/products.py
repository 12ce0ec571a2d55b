"""Products of matrices of all ranks."""

from __future__ import annotations

import torch

from programs.program import Program as P
from programs.program import pairs, rows, tensors

MATRICES = (((3, 4), (4, 2)), ((5, 3), (3, 3)), ((1, 1), (1, 5)), ((0, 2), (2, 3)))
BATCHES = (((2, 3, 4), (2, 4, 2)), ((5, 1, 3), (5, 3, 3)), ((1, 2, 1), (1, 1, 5)))

PROGRAMS = {
    "matmul": P(lambda a, b: a @ b, pairs(*MATRICES)),
    "mm": P(lambda a, b: torch.mm(a, b), pairs(*MATRICES)),
    "matmul that does not fit": P(lambda a, b: a @ b, pairs(((3, 4), (4, 2)), ((3, 4), (3, 2)), ((2, 5), (5, 1)))),
    "bmm": P(lambda a, b: torch.bmm(a, b), pairs(*BATCHES)),
    "matmul of batches": P(lambda a, b: a @ b, pairs(*BATCHES)),
    "matmul of a batch and a matrix": P(lambda a, b: a @ b, pairs(((2, 3, 4), (4, 2)), ((5, 1, 3), (3, 3)))),
    "a vector": P(lambda a, b: a @ b, pairs(((3, 4), (4,)), ((5, 3), (3,)), ((1, 1), (1,)))),
    "dot": P(lambda a, b: a @ b, pairs(((4,), (4,)), ((3,), (3,)), ((1,), (1,)))),
    "its own transpose": P(lambda x: x.mT @ x, rows(5, 3, 1, 0)),
    "swapaxes": P(lambda x: x.swapaxes(0, 1) @ x, rows(5, 3, 1, 0)),
    "gram matrix": P(lambda x: x @ x.t() / x.shape[1], rows(5, 3, 1, 0)),
    "addmm": P(lambda a, b: torch.addmm(b.sum(0), a, b), pairs(*MATRICES[:3])),
    "baddbmm": P(lambda a, b: torch.baddbmm(a @ b, a, b), pairs(*BATCHES)),
    "einsum of batches": P(lambda a, b: torch.einsum("bij,bjk->bik", a, b), pairs(*BATCHES)),
    "einsum of a trace": P(lambda a, b: torch.einsum("bij,bjk->b", a, b), pairs(*BATCHES)),
    "einsum of an outer product": P(lambda a: torch.einsum("i,j->ij", a, a), tensors((3,), (5,), (1,))),
    "attention by hand": P(
        lambda x: ((x @ x.mT) * x.shape[-1] ** -0.5).softmax(-1) @ x, tensors((2, 3, 4), (1, 5, 2), (3, 1, 1))
    ),
    "attention": P(
        lambda x: torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True),
        tensors((2, 3, 4, 4), (1, 5, 2, 8), (3, 1, 1, 2)),
    ),
    "attention with a mask": P(
        lambda x: torch.nn.functional.scaled_dot_product_attention(
            x, x, x, attn_mask=torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).tril()
        ),
        tensors((2, 3, 4, 4), (1, 5, 2, 8), (3, 1, 1, 2)),
    ),
    "outer": P(lambda a, b: torch.outer(a, b), pairs(((3,), (4,)), ((2,), (2,)), ((1,), (5,)))),
    "a chain": P(lambda x: x @ x.t() @ x, rows(5, 3, 1)),
    "a rank that changes": P(lambda x: x @ torch.ones(2, 3), tensors((4, 2), (2, 4, 2), (2,)), 3, "a rank each"),
}
