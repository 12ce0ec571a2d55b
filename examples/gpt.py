"""A small GPT in plain `torch.nn`: nothing in it knows about Thunder or about symbolic shapes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class GPTConfig:
    """The sizes of a `GPT`; the defaults are the demo's."""

    layers: int = 4
    width: int = 64
    heads: int = 4
    vocabulary: int = 256
    context: int = 128


class CausalSelfAttention(nn.Module):
    """Multi-head attention in which each position sees itself and what stands before it."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.out = nn.Linear(config.width, config.width)

    def forward(self, x: Tensor) -> Tensor:
        """Map (batch, length, width) to the same shape."""
        batch, length, width = x.shape
        q, k, v = self.qkv(x).split(width, dim=2)
        q = q.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        k = k.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        v = v.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        mixed: Tensor = self.out(y.transpose(1, 2).reshape(batch, length, width))
        return mixed


class Block(nn.Module):
    """Attention and an MLP, each behind a LayerNorm and added to its input."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.norm_attention = nn.LayerNorm(config.width)
        self.attention = CausalSelfAttention(config)
        self.norm_mlp = nn.LayerNorm(config.width)
        self.mlp = nn.Sequential(
            nn.Linear(config.width, 4 * config.width), nn.GELU(), nn.Linear(4 * config.width, config.width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map (batch, length, width) to the same shape."""
        x = x + self.attention(self.norm_attention(x))
        x = x + self.mlp(self.norm_mlp(x))
        return x


class GPT(nn.Module):
    """A decoder-only transformer that returns its loss."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.context = config.context
        self.tokens = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.context, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        self.head = nn.Linear(config.width, config.vocabulary, bias=False)

    def forward(self, tokens: Tensor, targets: Tensor) -> Tensor:
        """Return the mean cross-entropy of predicting `targets` from `tokens`, both (batch, length)."""
        length = tokens.shape[1]
        if length > self.context:
            raise ValueError(f"{length} tokens do not fit into a context of {self.context}")
        x = self.tokens(tokens) + self.positions(torch.arange(length, device=tokens.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))
