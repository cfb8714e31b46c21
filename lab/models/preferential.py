"""Preferential attachment: pages with many links get more links (Price 1976; Barabási & Albert 1999)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import IntArray
from hinterland.analysis.random_numbers import RandomState, below, seeded, uniform
from hinterland.lab.models.model import DrawnGraph, GraphModel, require, require_links, require_pages


@dataclass(frozen=True, slots=True)
class PreferentialModel(GraphModel):
    """Pages arrive one after another, each with m = `links` links to earlier pages.

    An earlier page is drawn in proportion to its in-degree + `attractiveness`, a; the first page links only to itself.

    In-degrees follow a power law with the exponent 2 + a/m (Dorogovtsev, Mendes & Samukhin, Phys. Rev. Lett. 85, 2000).
    It is 3 for a = m. This is the model of Barabási & Albert, with links directed from the newer page to the older.
    """

    links: int = 7
    attractiveness: float = 7.0

    def __post_init__(self) -> None:
        """Raise UnusableModel for a parameter out of range."""
        require_links(self.links)
        require(0 < self.attractiveness < np.inf, "attractiveness", self.attractiveness, "it is above 0")

    @property
    def indegree_exponent(self) -> float:
        """The exponent of the in-degrees."""
        return 2 + self.attractiveness / self.links

    def draw(self, page_count: int, seed: int) -> DrawnGraph:
        """Draw a graph of `page_count` pages."""
        require_pages(page_count)
        share = self.links / (self.links + self.attractiveness)
        targets = _attached(page_count, self.links, share, seeded(seed))
        sources = np.repeat(np.arange(page_count, dtype=np.int32), self.links)
        return DrawnGraph(sources, targets, page_count)


@compiled
def _attached(page_count: int, links: int, preferential_share: float, state: RandomState) -> IntArray:
    """Return the targets of all links.

    To draw a page by in-degree, the target of a uniformly drawn earlier link is taken.
    """
    targets = np.zeros(page_count * links, np.int32)
    for page in range(1, page_count):
        for link in range(page * links, (page + 1) * links):
            if uniform(state) < preferential_share:
                targets[link] = targets[below(state, page * links)]
            else:
                targets[link] = below(state, page)
    return targets
