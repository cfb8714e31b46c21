"""PageRank of a growing crawl, computed again and again, each time starting from the last result."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.chunked import chunks
from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import pagerank


class WarmStart:
    """Remembers the last ranks by page number. Mutable; 8 bytes per known page."""

    def __init__(self, tolerance: float) -> None:
        """Start without ranks. `tolerance` bounds the L1 error of every result."""
        self._tolerance = tolerance
        self._ranks = np.empty(0)  # by page number; 0 where there was none

    def ranks(self, graph: Graph, pages: IntArray, page_count: int) -> FloatArray:
        """Return the PageRank of a graph with the pages `pages`, shape (k,): page i of the graph is pages[i].

        `page_count` is the number of known pages. From call to call, it and `pages` may only grow.
        """
        start = None
        if self._ranks.any():
            known: FloatArray = graph.zeros(page_count, np.float64)
            known[: len(self._ranks)] = self._ranks
            start = known[pages]
            start[start == 0] = self._ranks[self._ranks > 0].min()  # the rank of a page without inlinks
        ranks = pagerank(graph, start=start, tolerance=self._tolerance)
        self._ranks = graph.zeros(page_count, np.float64)
        for part in chunks(len(pages)):
            self._ranks[pages[part]] = ranks[part]
        return ranks
