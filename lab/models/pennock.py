"""The model of Pennock, Flake, Lawrence, Glover & Giles: winners don't take all (PNAS 99(8), 2002)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import IntArray
from hinterland.analysis.random_numbers import RandomState, below, seeded, uniform
from hinterland.lab.models.model import DrawnGraph, GraphModel, require_links, require_pages, require_share


@dataclass(frozen=True, slots=True)
class PennockModel(GraphModel):
    """Each step adds a page and m = `links` links. Both ends of a link are drawn.

    With the probability γ = `preferential`, an end is drawn in proportion to degree, otherwise uniformly among all
    pages so far. Which of the two ends is the source is random.

    So the probability of page i is γ deg(i) / 2mt + (1 - γ) / t after t steps. Degrees (inlinks and outlinks together)
    follow a power law with the exponent 1 + 1/γ, flatter at the low end.
    """

    links: int = 4
    preferential: float = 0.9

    def __post_init__(self) -> None:
        """Raise UnusableModel for a parameter out of range."""
        require_links(self.links)
        require_share("preferential", self.preferential)

    @property
    def degree_exponent(self) -> float:
        """The exponent of the degrees, infinite if no end is drawn by degree."""
        return 1 + 1 / self.preferential if self.preferential else np.inf

    def draw(self, page_count: int, seed: int) -> DrawnGraph:
        """Draw a graph of `page_count` pages."""
        require_pages(page_count)
        ends = _ends(page_count, self.links, float(self.preferential), seeded(seed))
        return DrawnGraph(ends[0::2], ends[1::2], page_count)


@compiled
def _ends(page_count: int, links: int, preferential_share: float, state: RandomState) -> IntArray:
    """Return the source and target of one link after another.

    Both ends are drawn in the same way, so it is already random which of them is the source.
    """
    ends = np.zeros(2 * page_count * links, np.int32)
    for page in range(page_count):
        before = 2 * page * links
        for end in range(before, before + 2 * links):
            if before and uniform(state) < preferential_share:
                ends[end] = ends[below(state, before)]
            else:
                ends[end] = below(state, page + 1)
    return ends
