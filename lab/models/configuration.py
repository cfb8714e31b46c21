"""The directed configuration model (Newman, Strogatz & Watts, Phys. Rev. E 64, 2001) with Zipf's laws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import IntArray
from hinterland.analysis.random_numbers import RandomState, below
from hinterland.lab.models.degree_laws import DegreeLaws
from hinterland.lab.models.model import DrawnGraph


@dataclass(frozen=True, slots=True)
class ConfigurationModel(DegreeLaws):
    """Each link ends at one of the remaining places of pages, drawn uniformly.

    A page has as many places as its in-degree. Once no place remains, pages get no more links.
    """

    def draw(self, page_count: int, seed: int) -> DrawnGraph:
        """Draw a graph of `page_count` pages."""
        outdegrees, places, state = self.degrees(page_count, seed)
        targets = _drawn_without_return(places, min(int(outdegrees.sum()), len(places)), state)
        sources = np.repeat(np.arange(page_count, dtype=np.int32), outdegrees)[: len(targets)]
        return DrawnGraph(sources, targets, page_count)


@compiled
def _drawn_without_return(places: IntArray, count: int, state: RandomState) -> IntArray:
    """Shuffle the first `count` places by the method of Fisher & Yates, in place; return them, shape (count,)."""
    for i in range(count):
        take_place(places, i, state)
    return places[:count]


@compiled
def take_place(places: IntArray, taken: int, state: RandomState) -> int:
    """Draw the next place of a random order, and return it. The first `taken` places have been drawn before."""
    other = taken + below(state, len(places) - taken)
    places[taken], places[other] = places[other], places[taken]
    return int(places[taken])
