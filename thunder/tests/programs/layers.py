"""Layers, activations and losses of torch.nn.functional over symbolic dims."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from programs.program import Program as P
from programs.program import rows, tensors

IMAGES = ((2, 3, 8, 8), (3, 3, 9, 11), (1, 3, 6, 5))
SIGNALS = ((2, 3, 8), (1, 3, 9), (3, 3, 5))
WEIGHT = torch.randn(4, 3, 3, 3)
CLASSES = [(torch.randn(n, 4), torch.arange(n) % 4) for n in (3, 5, 1)]

PROGRAMS = {
    "linear": P(lambda x: F.linear(x, torch.ones(3, 2)), rows(5, 3, 1, 0)),
    "a linear layer": P(nn.Linear(2, 3), [*rows(5, 3, 1, 0)]),
    "a linear layer of ranks": P(nn.Linear(2, 3), tensors((5, 2), (2, 3, 2), (2,)), 3, "a rank each"),
    "relu": P(lambda x: F.relu(x), rows(5, 3, 1, 0)),
    "gelu": P(lambda x: F.gelu(x), rows(5, 3, 1, 0)),
    "gelu by tanh": P(lambda x: F.gelu(x, approximate="tanh"), rows(5, 3, 1, 0)),
    "silu": P(lambda x: F.silu(x), rows(5, 3, 1, 0)),
    "leaky_relu": P(lambda x: F.leaky_relu(x, 0.1), rows(5, 3, 1, 0)),
    "elu": P(lambda x: F.elu(x), rows(5, 3, 1, 0)),
    "hardswish": P(lambda x: F.hardswish(x), rows(5, 3, 1, 0)),
    "softplus": P(lambda x: F.softplus(x), rows(5, 3, 1, 0)),
    "layer_norm": P(lambda x: F.layer_norm(x, (4,)), tensors((5, 4), (3, 4), (1, 4), (0, 4))),
    "layer_norm by a dim": P(lambda x: F.layer_norm(x, x.shape[-1:]), tensors((5, 4), (3, 6), (1, 3))),
    "a layer norm": P(nn.LayerNorm(4), tensors((5, 4), (3, 4), (1, 4))),
    "rms_norm by hand": P(lambda x: x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt(), rows(5, 3, 1, 0)),
    "group_norm": P(lambda x: F.group_norm(x, 2), tensors((2, 4, 3), (3, 4, 5), (1, 4, 2))),
    "a batch norm in evaluation": P(nn.BatchNorm1d(2).eval(), rows(5, 3, 1)),
    "instance_norm": P(lambda x: F.instance_norm(x), tensors((2, 4, 3), (3, 4, 5), (1, 4, 2))),
    "embedding": P(
        lambda i: F.embedding(i, torch.arange(10.0).reshape(5, 2)),
        [
            (torch.zeros(2, 3).long(),),
            (torch.ones(4, 6).long(),),
            (torch.ones(1, 1).long(),),
            (torch.ones(0, 2).long(),),
        ],
    ),
    "dropout in evaluation": P(lambda x: F.dropout(x, 0.5, training=False), rows(5, 3, 1)),
    "conv2d": P(lambda x: F.conv2d(x, WEIGHT, padding=1), tensors(*IMAGES)),
    "conv2d with a stride": P(lambda x: F.conv2d(x, WEIGHT, stride=2), tensors(*IMAGES)),
    "conv2d by ones of a dim": P(lambda x: F.conv2d(x, torch.ones(4, x.shape[1], 3, 3)), tensors(*IMAGES)),
    "conv1d": P(lambda x: F.conv1d(x, torch.ones(2, 3, 3), dilation=2), tensors(*SIGNALS)),
    "a convolution": P(nn.Conv2d(3, 2, 3, padding=1), tensors(*IMAGES)),
    "max_pool2d": P(lambda x: F.max_pool2d(x, 2), tensors(*IMAGES)),
    "max_pool2d overlapping": P(lambda x: F.max_pool2d(x, 3, stride=2, padding=1), tensors(*IMAGES)),
    "avg_pool2d": P(lambda x: F.avg_pool2d(x, 2), tensors(*IMAGES)),
    "max_pool1d": P(lambda x: F.max_pool1d(x, 2), tensors(*SIGNALS)),
    "adaptive_avg_pool2d to 1": P(lambda x: F.adaptive_avg_pool2d(x, 1), tensors(*IMAGES)),
    "global average": P(lambda x: x.mean((-2, -1)), tensors(*IMAGES)),
    "interpolate by a factor": P(lambda x: F.interpolate(x, scale_factor=2), tensors(*IMAGES)),
    "interpolate to a size": P(lambda x: F.interpolate(x, size=(16, 16)), tensors((2, 3, 8, 8), (1, 3, 8, 8)), 1),
    "interpolate to twice a dim": P(
        lambda x: F.interpolate(x, size=(x.shape[2] * 2, x.shape[3] * 2)), tensors(*IMAGES), 3, "a ratio of sizes"
    ),
    "mse_loss": P(lambda x: F.mse_loss(x, x.detach() * 0.5), rows(5, 3, 1)),
    "l1_loss by hand": P(lambda x: (x - 1).abs().mean(), rows(5, 3, 1)),
    "cross_entropy": P(lambda x, y: F.cross_entropy(x, y), CLASSES),
    "cross_entropy that ignores": P(lambda x, y: F.cross_entropy(x, y, ignore_index=0), CLASSES[:2]),
    "nll_loss": P(lambda x, y: F.nll_loss(x.log_softmax(-1), y), CLASSES),
    "cross_entropy over positions": P(
        lambda x: F.cross_entropy(x.reshape(-1, x.shape[-1]), torch.zeros(x.shape[0] * x.shape[1], dtype=torch.int64)),
        tensors((2, 3, 4), (1, 5, 4), (3, 1, 4)),
    ),
    "an mlp": P(nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2)), rows(5, 3, 1)),
    "a residual block": P(lambda x: x + F.layer_norm(x, (4,)).relu(), tensors((5, 4), (3, 4), (1, 4))),
    "rotary positions": P(lambda x: _rotated(x), tensors((2, 3, 4), (1, 5, 4), (3, 1, 8))),
    "a normalised product": P(lambda x: F.normalize(x, dim=-1) @ x.t(), rows(5, 3, 1)),
    "a checkpointed sum": P(lambda x: (x.sigmoid() * x.tanh()).sum(-1), rows(5, 3, 1)),
    "no_grad": P(lambda x: _partly_detached(x), rows(5, 3, 1)),
    "in place": P(lambda x: _in_place(x), rows(5, 3, 1)),
    "glu": P(lambda x: F.glu(x, -1), tensors((3, 4), (5, 2), (1, 6))),
}


def _rotated(x: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] * 100.0 ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)


def _partly_detached(x: Tensor) -> Tensor:
    with torch.no_grad():
        scale = x.sum(0) * x.shape[0]
    return x * scale


def _in_place(x: Tensor) -> Tensor:
    y = x * 2
    y.add_(x.shape[0])
    y *= 3
    return y
