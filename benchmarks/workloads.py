"""What the benchmark compiles: functions of a few sizes, an MLP, a residual CNN and GPTs, each with its shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gpt import GPT, GPTConfig

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Workload:
    """A program and the shapes it is called with.

    Attributes:
        build: makes the module or function afresh.
        inputs: makes its arguments for a shape.
        shapes: the shapes of a sweep, all distinct; the first is compiled where one shape is asked for.
        trains: whether a training step is measured too.
    """

    build: Callable[[], Callable[..., Tensor]]
    inputs: Callable[[Shape], tuple[Tensor, ...]]
    shapes: Sequence[Shape]
    trains: bool = True


def _operations(count: int) -> Callable[[], Callable[[Tensor], Tensor]]:
    def function(x: Tensor) -> Tensor:
        for _ in range(count):
            x = torch.tanh(x)
        return x

    return lambda: function


class ResidualBlock(nn.Module):
    """Two convolutions with group norms, added to their input."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norms = nn.ModuleList(nn.GroupNorm(4, channels) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        """Map (batch, channels, height, width) to the same shape."""
        y = F.relu(self.norms[0](self.convolutions[0](x)))
        return F.relu(x + self.norms[1](self.convolutions[1](y)))


class ResidualNetwork(nn.Module):
    """A small ResNet for images of any size."""

    def __init__(self, channels: int = 16, blocks: int = 4, classes: int = 10) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, stride=2, padding=1)
        self.blocks = nn.Sequential(*(ResidualBlock(channels) for _ in range(blocks)))
        self.head = nn.Linear(channels, classes)

    def forward(self, images: Tensor) -> Tensor:
        """Map (batch, 3, height, width) to (batch, classes)."""
        scores: Tensor = self.head(self.blocks(self.stem(images)).mean((2, 3)))
        return scores


def _mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 8))


def _floats(shape: Shape) -> tuple[Tensor, ...]:
    return (torch.rand(shape, generator=torch.Generator().manual_seed(0)),)


def _tokens(shape: Shape) -> tuple[Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(0, 256, shape, generator=generator), torch.randint(0, 256, shape, generator=generator)


def _gpt(layers: int) -> Workload:
    shapes = [(2 + i % 7, 8 + 3 * i) for i in range(30)]
    return Workload(lambda: GPT(GPTConfig(layers=layers)), _tokens, shapes)


_MATRICES: list[Shape] = [(3 + i, 5 + 2 * i) for i in range(30)]
WORKLOADS: dict[str, Workload] = {
    **{f"{n} ops": Workload(_operations(n), _floats, _MATRICES, trains=False) for n in (1, 10, 100)},
    "mlp": Workload(_mlp, _floats, [(3 + i, 32) for i in range(30)]),
    "cnn": Workload(ResidualNetwork, _floats, [(2 + i % 3, 3, 16 + 2 * i, 20 + i) for i in range(30)]),
    **{f"gpt {layers}": _gpt(layers) for layers in (4, 12, 24)},
}


def built(name: str, training: bool) -> Callable[..., Any]:
    """Return the workload's program, made afresh with seeded weights."""
    torch.manual_seed(0)
    program = WORKLOADS[name].build()
    return program.train(training).requires_grad_(training) if isinstance(program, nn.Module) else program
