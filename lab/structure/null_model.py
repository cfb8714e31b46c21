"""A random graph with the degrees of a given graph, which shows how much of the structure follows from degrees."""

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
"""The figures that degrees do not determine, and so are worth comparing."""


def with_same_degrees(graph: Graph, rng: np.random.Generator) -> Graph:
    """Return the graph with the targets of its links shuffled: the directed configuration model.

    After Newman, Strogatz & Watts (2001). Shuffling may cause repeats and self-links. These are dropped, so the largest
    degrees are a little smaller.
    """
    return Graph.from_links(graph.sources, rng.permutation(graph.targets), graph.page_count)
