"""Callables with several argument lists: the first compiles, the others go through the same jitted callable.

CASES maps a name to (callable, argument lists, specializations allowed).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

torch.manual_seed(0)
T = torch.randn

Case = tuple[Callable[..., Any], list[tuple[Any, ...]], int]

CASES: dict[str, Case] = {
    # decided in Python
    "branch_dim": (lambda x: x + 1 if x.shape[0] > 4 else x - 1, [(T(5, 2),), (T(3, 2),), (T(9, 2),), (T(2, 2),)], 2),
    "loop_over_rows": (lambda a: sum(a[i] for i in range(a.shape[0])), [(T(4, 5),), (T(6, 5),), (T(4, 7),)], 2),
    "split_even": (lambda a: a.split(2, 0)[0], [(T(4, 3),), (T(6, 3),)], 2),
    "last_rows": (lambda a: a[-3:] * 2, [(T(5, 2),), (T(2, 2),)], 1),
    "chunks": (lambda x: torch.stack(x.chunk(4)).sum(0), [(T(8),), (T(12),), (T(16),)], 1),
    "shape_equality": (lambda a, b: a if tuple(a.shape) == (2, 2) else b, [(T(2, 2), T(1)), (T(2, 1), T(8))], 2),
    "size_inequality": (lambda a: a * 2 if a.size() != (5, 1, 2) else a + 0, [(T(5, 1, 2),), (T(5, 2, 2),)], 2),
    "dict_by_dim": (lambda a: a * {4: 2.0}.get(a.shape[0], 3.0), [(T(4),), (T(5),), (T(6),)], 3),
    # stay symbolic
    "slice_to_last_dim": (lambda a: a[..., : a.shape[-1]], [(T(4, 5),), (T(7, 3),), (T(1, 9),)], 1),
    "reshape_numel_relu": (lambda a: torch.reshape(a, [a.numel()]).relu(), [(T(4, 5),), (T(7, 3),)], 1),
    "slice_half": (lambda a: a[: a.shape[0] // 2], [(T(6, 2),), (T(9, 2),), (T(14, 3),)], 1),
    "slice_clamped": (lambda a: a[:3] * 2, [(T(5, 2),), (T(2, 2),)], 1),
    "slice_stride": (lambda a: a[::2] * 2, [(T(5, 2),), (T(8, 3),)], 1),
    "view_heads": (
        lambda x: x.view(x.shape[0], x.shape[1], 2, x.shape[2] // 2).transpose(1, 2),
        [(T(2, 3, 8),), (T(4, 5, 8),), (T(4, 5, 12),)],
        1,
    ),
    "squeeze": (lambda a: a.squeeze(), [(T(4, 1, 5),), (T(6, 1, 3),), (T(4, 3, 5),)], 2),
    "broadcast": (
        lambda a, b: a + b,
        [(T(4, 3), T(4, 3)), (T(6, 2), T(6, 2)), (T(4, 3), T(1, 3)), (T(1, 3), T(4, 3))],
        3,
    ),
    "matmul_mismatch": (lambda a, b: a @ b, [(T(4, 3), T(3, 5)), (T(2, 7), T(7, 5)), (T(4, 3), T(4, 5))], 1),
    "interpolate": (lambda a: F.interpolate(a, scale_factor=2), [(T(2, 3, 8, 8),), (T(2, 3, 9, 7),)], 1),
    "int_argument": (lambda a, n: a[:n], [(T(4, 5), 2), (T(6, 5), 3)], 1),
    "mean_of_rows": (lambda a: a.mean(-1), [(T(4, 3),), (T(2, 7),)], 1),
    "returns_a_dim": (lambda a: (a + 1, a.shape[0]), [(T(4, 6),), (T(3, 8),)], 1),
    "rotary": (
        lambda x: torch.cat([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], -1),
        [(T(2, 3, 8),), (T(2, 5, 6),)],
        1,
    ),
    "times_a_dim": (lambda a: a * a.shape[0], [(T(4),), (T(1),)], 1),
    "divide_by_root_of_dim": (lambda a: a / a.shape[-1] ** 0.5, [(T(4, 3),), (T(2, 7),)], 1),
    "positions": (lambda a: a + torch.arange(a.shape[0]), [(T(4),), (T(7),)], 1),
    "even_positions": (lambda a: torch.arange(0, a.shape[0], 2) + a.shape[0], [(T(5),), (T(8),)], 1),
    "new_zeros": (lambda a: a.new_zeros(a.shape[0], 3), [(T(4, 2),), (T(6, 2),)], 1),
    "unused_input": (lambda x, y: y + 2, [(T(0), T(3)), (T(2), T(3))], 1),
    "embedding": (
        lambda i, w: F.embedding(i, w),
        [(torch.zeros(2, 3).long(), T(5, 4)), (torch.ones(4, 6).long(), T(5, 4))],
        1,
    ),
    "empty_dim": (lambda a, b: (a * 2, b.sum()), [(T(2), T(3)), (T(2), T(0))], 1),
}

MODULES: dict[str, Case] = {
    "linear": (torch.nn.Linear(4, 3), [(T(2, 4),), (T(5, 4),), (T(2, 3, 4),)], 2),
    "mlp": (
        torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.LayerNorm(8)),
        [(T(2, 4),), (T(5, 4),)],
        1,
    ),
    "batch_norm_eval": (torch.nn.BatchNorm1d(3).eval(), [(T(4, 3),), (T(7, 3),)], 1),
}
