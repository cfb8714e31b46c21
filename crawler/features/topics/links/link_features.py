"""The features of links: hashed features, and how strongly the words of the links point to a topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import BoolArray, FloatArray, OffsetArray

FEATURES: Final = 1 << 16
LIKENESSES: Final = 3
"""The number of likenesses of a link: one each for its URL, its anchor, and the words around it."""

FeatureArray = NDArray[np.uint16]
LikenessArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class LinkFeatures:
    """The features of k links. Read-only.

    The features of link i are `features[ends[i - 1]:ends[i]]`, numbers below FEATURES. `likenesses`, shape (k,
    LIKENESSES), are the log-odds that the words of each part of a link add for the topic.
    """

    ends: OffsetArray
    features: FeatureArray
    likenesses: LikenessArray

    @classmethod
    def none(cls) -> LinkFeatures:
        """Return the features of no links."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.uint16), np.zeros((0, LIKENESSES), np.float32))

    @classmethod
    def unpacked(cls, sizes: bytes, features: bytes, likenesses: bytes) -> LinkFeatures:
        """Return the features in arrays of uint8, uint16 and float32. Raises ValueError if lengths do not match."""
        ends = np.cumsum(np.frombuffer(sizes, np.uint8), dtype=np.int64)
        numbers = np.frombuffer(features, np.uint16)
        parts = np.frombuffer(likenesses, np.float32)
        if len(numbers) != (ends[-1] if len(ends) else 0) or len(parts) != LIKENESSES * len(ends):
            raise ValueError(
                f"lengths do not match: {len(ends)} links, {len(numbers)} features, {len(parts)} likenesses"
            )
        return cls(ends, numbers, parts.reshape(-1, LIKENESSES))

    def __len__(self) -> int:
        """Return the number of links."""
        return len(self.ends)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many features each link has, shape (k,)."""
        return _steps(self.ends)

    def those(self, chosen: BoolArray) -> LinkFeatures:
        """Return the features of the links that a mask of shape (k,) selects."""
        sizes = self.sizes
        return LinkFeatures(np.cumsum(sizes[chosen]), self.features[chosen.repeat(sizes)], self.likenesses[chosen])

    def part(self, first: int, last: int) -> LinkFeatures:
        """Return the features of the links from `first` to `last` - 1; only `ends` is copied."""
        begin = int(self.ends[first - 1]) if first else 0
        end = int(self.ends[last - 1]) if last else 0
        return LinkFeatures(self.ends[first:last] - begin, self.features[begin:end], self.likenesses[first:last])

    def summed(self, weights: FloatArray) -> FloatArray:
        """Return the sum of the weights of each link's features, shape (k,)."""
        sums = np.zeros(len(self.features) + 1)
        np.cumsum(weights[self.features], out=sums[1:])
        return _steps(sums[self.ends])


def _steps(ends: NDArray[Any]) -> NDArray[Any]:
    """Return the difference of each value from the previous one, which is 0 for the first.

    np.diff with `prepend` does the same, but takes ten times as long for the links of one page.
    """
    found = ends.copy()
    found[1:] -= ends[:-1]
    return found
