"""Zipf's laws of in-degrees and out-degrees, from which the degrees of each page are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.graph import IntArray
from hinterland.analysis.random_numbers import RandomState, seeded
from hinterland.lab.models.model import GraphModel, require, require_pages, require_share
from hinterland.lab.models.zipf import zipf


@dataclass(frozen=True, slots=True, kw_only=True)
class DegreeLaws(GraphModel):
    """Every page has a number of links, and a number of places where links may end. Both are drawn independently.

    Both follow Zipf's law, each with its own exponent, between a least degree and the number of pages. A fraction of
    the pages, `linkless`, has no links.
    """

    indegree_exponent: float = 2.1
    outdegree_exponent: float = 2.72
    least_indegree: int = 1
    least_outdegree: int = 4
    linkless: float = 0.0

    def __post_init__(self) -> None:
        """Raise UnusableModel for a parameter out of range."""
        for name in ("indegree_exponent", "outdegree_exponent"):
            value = getattr(self, name)
            require(1 < value < np.inf, name, value, "an exponent is above 1")
        for name in ("least_indegree", "least_outdegree"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "a page has at least 1 such link")
        require_share("linkless", self.linkless)

    def degrees(self, page_count: int, seed: int) -> tuple[IntArray, IntArray, RandomState]:
        """Draw the degrees of all pages.

        Returns the out-degree of each page, shape (n,); an array that repeats the number of each page as often as its
        in-degree; and the state for further draws.
        """
        require_pages(page_count)
        least = max(self.least_indegree, self.least_outdegree)
        require(least < max(page_count, 2), "the least degree", least, f"it is below the {page_count} pages")
        rng = np.random.default_rng([seed & (2**64 - 1), 1])
        most = max(page_count - 1, 1)
        indegrees = zipf(rng, self.indegree_exponent, self.least_indegree, most, page_count)
        outdegrees = zipf(rng, self.outdegree_exponent, self.least_outdegree, most, page_count)
        if self.linkless:
            outdegrees[rng.random(page_count) < self.linkless] = 0
        return outdegrees, np.repeat(np.arange(page_count, dtype=np.int32), indegrees), seeded(seed)
