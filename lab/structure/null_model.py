"""What of a graph's structure its degrees alone would make."""

from __future__ import annotations

from typing import Final

import numpy as np

from hinterland.analysis.graph import Graph

SHAPED: Final = frozenset(
    {
        *("core", "IN", "OUT", "largest weak component", "connected pairs", "average distance", "effective diameter"),
        *("harmonic diameter", "spid", "average clustering", "transitivity", "largest core number"),
    }
)
"""The figures that degrees do not settle by themselves, and so are worth comparing."""


def with_same_degrees(graph: Graph, rng: np.random.Generator) -> Graph:
    """The links of the graph with their targets dealt out anew: the directed configuration model (Newman, Strogatz &
    Watts 2001). What comes out as a repeat or as a link to itself is dropped, so that the largest degrees are a little
    smaller.
    """
    return Graph.from_links(graph.sources, rng.permutation(graph.targets), graph.page_count)
