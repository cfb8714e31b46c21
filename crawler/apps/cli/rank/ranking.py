"""Two rankings of the same pages side by side: as the site sees itself, and as the web sees it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ranking:
    """pages, ascending, shape (n,). site, web: their PageRank by the links of the domain alone, and as the estimator
    has it of the whole web. disagreements: estimator -> L1 distance between it and this one, over all local pages."""

    pages: IntArray
    site: FloatArray
    web: FloatArray
    estimator: str
    disagreements: Mapping[str, float]

    def site_positions(self) -> IntArray:
        """1 for the highest, the earlier discovered first among equals; shape (n,)."""
        return _positions(self.site)

    def web_positions(self) -> IntArray:
        return _positions(self.web)

    def top(self, count: int) -> list[int]:
        """Places in `pages` of those that the web ranks highest."""
        return [int(place) for place in np.argsort(-self.web, kind="stable")[:count]]

    def movers(self, count: int) -> list[int]:
        """Places of those whose positions differ most, of equals those whose PageRank differs by the larger factor."""
        moved = np.abs(self.site_positions() - self.web_positions())
        factor = np.abs(np.log(np.maximum(self.web, 1e-300) / np.maximum(self.site, 1e-300)))
        order = np.lexsort((self.pages, -factor, -moved))
        return [int(place) for place in order[:count] if moved[place]]


def _positions(values: FloatArray) -> IntArray:
    positions = np.empty(len(values), np.int32)
    positions[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1, dtype=np.int32)
    return positions
