"""The copying model with linear growth (Kumar, Raghavan, Rajagopalan, Sivakumar, Tomkins & Upfal, FOCS 2000)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import IntArray
from hinterland.analysis.random_numbers import RandomState, below, seeded, uniform
from hinterland.lab.models.model import DrawnGraph, GraphModel, require_links, require_pages, require_share


@dataclass(frozen=True, slots=True)
class CopyingModel(GraphModel):
    """Pages arrive one after another, each with `links` links. Each has a prototype, a uniformly drawn earlier page.

    With the probability `uniform`, β, a link goes to a uniformly drawn earlier page. Otherwise, it goes where the link
    of the prototype at the same position goes. The first page links only to itself.

    Before repeats and self-links are dropped, in-degrees follow a power law with the exponent (2 - β)/(1 - β).
    """

    links: int = 7
    uniform: float = 0.1

    def __post_init__(self) -> None:
        """Raise UnusableModel for a parameter out of range."""
        require_links(self.links)
        require_share("uniform", self.uniform)

    @property
    def indegree_exponent(self) -> float:
        """The exponent of the in-degrees, infinite if no link is copied."""
        return (2 - self.uniform) / (1 - self.uniform) if self.uniform < 1 else np.inf

    def draw(self, page_count: int, seed: int) -> DrawnGraph:
        """Draw a graph of `page_count` pages."""
        require_pages(page_count)
        targets = _copied(page_count, self.links, float(self.uniform), seeded(seed))
        sources = np.repeat(np.arange(page_count, dtype=np.int32), self.links)
        return DrawnGraph(sources, targets.reshape(-1), page_count)


@compiled
def _copied(page_count: int, links: int, uniform_share: float, state: RandomState) -> IntArray:
    targets = np.zeros((page_count, links), np.int32)
    for page in range(1, page_count):
        prototype = below(state, page)
        for link in range(links):
            if uniform(state) < uniform_share:
                targets[page, link] = below(state, page)
            else:
                targets[page, link] = targets[prototype, link]
    return targets
