"""Links between uniformly drawn pages: a graph without any structure (Erdős & Rényi 1959)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.lab.models.model import DrawnGraph, GraphModel, require_links, require_pages


@dataclass(frozen=True, slots=True)
class UniformModel(GraphModel):
    """A graph with `links` links per page; both ends of a link are drawn uniformly.

    This is the number of links before repeats and self-links are dropped.
    """

    links: int = 7

    def __post_init__(self) -> None:
        """Raise UnusableModel for a parameter out of range."""
        require_links(self.links)

    def draw(self, page_count: int, seed: int) -> DrawnGraph:
        """Draw a graph of `page_count` pages."""
        require_pages(page_count)
        rng = np.random.default_rng([seed & (2**64 - 1), 2])
        ends = rng.integers(0, page_count, (2, self.links * page_count), np.int32)
        return DrawnGraph(ends[0], ends[1], page_count)
