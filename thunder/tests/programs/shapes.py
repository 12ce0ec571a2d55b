"""Reshapes, permutations and repeats by expressions of dims."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from programs.program import Program as P
from programs.program import each, rows, tensors

CUBES = ((2, 3, 4), (5, 1, 2), (1, 4, 4))

PROGRAMS = {
    "flatten": P(lambda x: x.flatten() * 2, rows(5, 3, 1, 0)),
    "flatten from 1": P(lambda x: x.flatten(1) * 2, tensors(*CUBES)),
    "flatten up to the last": P(lambda x: x.flatten(0, -2) * 2, tensors(*CUBES)),
    "reshape by numel": P(lambda x: torch.reshape(x, [x.numel()]).relu(), tensors((4, 5), (7, 3), (1, 1))),
    "reshape by a product": P(lambda x: x.reshape(x.size(0) * x.size(1)) * 2, rows(5, 3, 1, 0)),
    "reshape by -1": P(lambda x: x.reshape(-1) * 2, rows(5, 3, 1, 0)),
    "reshape by -1 and a number": P(lambda x: x.reshape(-1, 4) * 2, rows(4, 6, 2)),
    "reshape that does not fit": P(lambda x: x.reshape(-1, 4) * 2, rows(4, 3, 2)),
    "reshape to a dim and -1": P(lambda x: x.reshape(x.shape[0], -1) * 2, tensors(*CUBES)),
    "reshape to itself": P(lambda x: x.reshape(x.shape) * 2, rows(5, 3, 1, 0)),
    "reshape by a number": P(lambda x, n: x.reshape(n, -1) * 2, each(torch.randn(12), 3, 4, 6)),
    "view of heads": P(
        lambda x: x.view(x.shape[0], x.shape[1], 2, x.shape[2] // 2).transpose(1, 2),
        tensors((2, 3, 8), (4, 5, 8), (4, 5, 12), (1, 1, 2)),
    ),
    "heads and back": P(
        lambda x: x.view(*x.shape[:2], 2, -1).transpose(1, 2).reshape(x.shape[0], 2, -1), tensors((2, 3, 8), (4, 1, 2))
    ),
    "view_as": P(lambda x: x.t().reshape(-1).view_as(x.reshape(-1)) * 2, rows(5, 3, 1)),
    "squeeze": P(lambda x: x.squeeze() * 2, tensors((4, 1, 5), (6, 1, 3), (4, 3, 5)), 2, "which dims are 1"),
    "squeeze of a dim": P(lambda x: x.squeeze(1) * 2, tensors((4, 1, 5), (6, 1, 1), (4, 3, 5)), 2, "which dims are 1"),
    "unsqueeze": P(lambda x: x.unsqueeze(1) * 2, rows(5, 3, 1, 0)),
    "unsqueeze and squeeze": P(lambda x: x.unsqueeze(1).squeeze(1) * 2, rows(5, 3, 1, 0)),
    "transpose": P(lambda x: x.transpose(0, 1) * 2, rows(5, 3, 1, 0)),
    "t": P(lambda x: x.t() * 2, rows(5, 3, 1, 0)),
    "mT": P(lambda x: x.mT * 2, rows(5, 3, 1, 0)),
    "permute": P(lambda x: x.permute(2, 0, 1) * 2, tensors(*CUBES)),
    "movedim": P(lambda x: x.movedim(0, -1) * 2, tensors(*CUBES)),
    "swapaxes": P(lambda x: x.swapaxes(0, 1) * 2, rows(5, 3, 1, 0)),
    "expand": P(lambda x: x[:, None].expand(-1, 3, -1) * 2, rows(5, 3, 1, 0)),
    "expand by a dim": P(lambda x: x[:1].expand(x.shape[0], -1) * 2, rows(5, 3, 1), 2, "whether a row is repeated"),
    "expand_as": P(lambda x: torch.ones(1, 2).expand_as(x) * x, rows(5, 3, 1, 0)),
    "repeat": P(lambda x: x.repeat(2, 3) * 2, rows(5, 3, 1, 0)),
    "repeat by a dim": P(lambda x: x.repeat(x.shape[1], 1) * 2, rows(5, 3, 1)),
    "repeat_interleave": P(lambda x: x.repeat_interleave(2, 0) * 2, rows(5, 3, 1)),
    "tile": P(lambda x: torch.tile(x, (2, 1)) * 2, rows(5, 3, 1)),
    "cat": P(lambda x: torch.cat([x, x * 2]), rows(5, 3, 1, 0)),
    "cat times a dim": P(lambda x: torch.cat([x, x]) * x.shape[0], rows(5, 3, 1, 0)),
    "cat of columns": P(lambda x: torch.cat([x, x[:, :1]], 1), rows(5, 3, 1, 0)),
    "cat of halves": P(
        lambda x: torch.cat([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], -1),
        tensors((2, 3, 8), (2, 5, 6), (1, 1, 2)),
    ),
    "stack": P(lambda x: torch.stack([x, x + 1], 1), rows(5, 3, 1, 0)),
    "hstack": P(lambda x: torch.hstack([x, x]), rows(5, 3, 1)),
    "vstack": P(lambda x: torch.vstack([x, x]), rows(5, 3, 1)),
    "pad": P(lambda x: F.pad(x, (1, 2)), rows(5, 3, 1, 0)),
    "pad to a length": P(lambda x: F.pad(x, (0, 0, 0, 8 - x.shape[0])), rows(5, 3, 1, 0)),
    "pad to a multiple": P(lambda x: F.pad(x, (0, 0, 0, -x.shape[0] % 4)), rows(5, 3, 4, 1)),
    "pad by a negative": P(lambda x: F.pad(x, (-1, 0)), rows(5, 3, 1)),
    "outer by unsqueeze": P(lambda x: x[:, None] * x[None, :], rows(5, 3, 1, 0)),
    "einsum": P(lambda x: torch.einsum("ij,kj->ik", x, x), rows(5, 3, 1)),
    "rearranged by einops' way": P(
        lambda x: x.reshape(x.shape[0], 2, -1).permute(1, 0, 2), tensors((3, 4), (1, 2), (5, 6))
    ),
    "pixel shuffle by hand": P(
        lambda x: x.reshape(x.shape[0], x.shape[1], -1, 2).sum(-1), tensors((2, 3, 4), (1, 1, 6), (3, 2, 2))
    ),
    "diagonal": P(lambda x: x.diagonal() * 2, rows(5, 3, 2), 2, "which dim is shorter"),
    "tril": P(lambda x: x.tril() * 2, rows(5, 3, 1, 0)),
    "triu": P(lambda x: x.triu(1) * 2, rows(5, 3, 1, 0)),
    "unfold by reshape": P(lambda x: x.reshape(x.shape[0] // 2, 2, 2).sum(1), rows(4, 6, 2)),
    "a shape as a list": P(lambda x: x.reshape([*x.shape, 1]) * 2, rows(5, 3, 1, 0)),
    "a shape as a sum": P(lambda x: x.reshape(x.shape[:1] + (1, 2)) * 2, rows(5, 3, 1, 0)),
    "a shape as torch.Size": P(lambda x: torch.zeros(x.size()) + x, rows(5, 3, 1, 0)),
    "a shape's numel": P(lambda x: x.sum() / x.shape.numel(), rows(5, 3, 1)),
    "numel of a slice": P(lambda x: x * x[:2].numel(), rows(5, 3, 1)),
    "nelement": P(lambda x: x * x.nelement(), rows(5, 3, 1)),
    "size of a dim from the end": P(lambda x: x * x.size(-2), rows(5, 3, 1)),
    "len": P(lambda x: x * len(x), rows(5, 3, 1), 3, "len is an exact number"),
    "ndim": P(lambda x: x * x.ndim, rows(5, 3, 1)),
    "broadcast_to": P(lambda x: torch.broadcast_to(x[0], (3, 2)) * 2, rows(5, 3, 1)),
    "clone": P(lambda x: x.clone() * 2, rows(5, 3, 1)),
    "identity": P(lambda x: x, rows(5, 3, 1)),
}
