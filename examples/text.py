"""Batches of bytes from a text, bucketed by sentence length, so that batch size and length vary."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

TEXT = Path(__file__).resolve().parent.parent / "docs" / "shapes.md"
"""The text that the demo learns: the repository's own introduction to symbolic shapes."""

BATCH_SIZES = range(2, 9)
_SENTENCE = re.compile(rb"\S.*?(?:[.?!:](?=\s)|(?=\n\n)|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Batch:
    """Input bytes and the bytes that follow them, both (batch, length)."""

    tokens: Tensor
    targets: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Batch size and length."""
        size, length = self.tokens.shape
        return size, length


def bucket_sentences(text: bytes, context: int, bucket: int = 16) -> dict[int, list[int]]:
    """Return the starts of the sentences of `text` by length, rounded up to a multiple of `bucket`, at most `context`.

    A window of that length starts at each of them: it runs on into the next sentence, so no padding is needed. A
    sentence so close to the end that its window would not fit is left out.
    """
    starts: dict[int, list[int]] = defaultdict(list)
    for sentence in _SENTENCE.finditer(text):
        length = min(-(-len(sentence[0]) // bucket) * bucket, context)
        if sentence.start() + length < len(text):
            starts[length].append(sentence.start())
    return dict(sorted(starts.items()))


def make_batches(text: bytes, steps: int, seed: int, context: int) -> list[Batch]:
    """Return `steps` batches: a bucket drawn by its number of sentences, a batch size, and sentences of that bucket."""
    buckets = bucket_sentences(text, context)
    if not buckets:
        raise ValueError(f"a text of {len(text)} bytes is too short to make a batch")
    draw = random.Random(seed)
    data = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()
    batches = []
    for _ in range(steps):
        [length] = draw.choices(list(buckets), weights=[len(starts) for starts in buckets.values()])
        chosen = draw.choices(buckets[length], k=draw.choice(BATCH_SIZES))
        windows = torch.stack([data[start : start + length + 1] for start in chosen])
        batches.append(Batch(windows[:, :-1].contiguous(), windows[:, 1:].contiguous()))
    return batches


def shapes_of(batches: list[Batch]) -> list[tuple[int, int]]:
    """Return the distinct shapes, the fewest tokens first."""
    return sorted({batch.shape for batch in batches}, key=lambda shape: (shape[0] * shape[1], shape))


def expected_specializations(batches: list[Batch]) -> int:
    """Return how many specializations serve `batches`: one, and another for each other way in which dims are 1.

    A size of 1 broadcasts, so PyTorch programs decide on it; the model treats all other sizes of the batches alike.
    """
    return len({tuple(dim == 1 for dim in batch.shape) for batch in batches})
