"""The directed configuration model (Newman, Strogatz & Watts, Phys. Rev. E 64, 2001) with Zipf's laws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.compiled import compiled
from analysis.graph import IntArray
from analysis.models.degree_laws import DegreeLaws
from analysis.models.model import DrawnGraph
from analysis.random_numbers import RandomState, below


@dataclass(frozen=True, slots=True)
class ConfigurationModel(DegreeLaws):
    """Each link takes one of the places that are left, drawn uniformly; once there are none, pages have no more links.
    """

    def draw(self, page_count: int, seed: int) -> DrawnGraph:
        outdegrees, places, state = self.degrees(page_count, seed)
        targets = _drawn_without_return(places, min(int(outdegrees.sum()), len(places)), state)
        sources = np.repeat(np.arange(page_count, dtype=np.int32), outdegrees)[: len(targets)]
        return DrawnGraph(sources, targets, page_count)


@compiled
def _drawn_without_return(places: IntArray, count: int, state: RandomState) -> IntArray:
    """The beginning of a shuffle by Fisher & Yates, in place; shape (count,)."""
    for i in range(count):
        take_place(places, i, state)
    return places[:count]


@compiled
def take_place(places: IntArray, taken: int, state: RandomState) -> int:
    """The next of the places in a random order, the first `taken` of which were taken before."""
    other = taken + below(state, len(places) - taken)
    places[taken], places[other] = places[other], places[taken]
    return int(places[taken])
