"""Rebuilds, from the store, the graph that a crawl had in memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator, places_where
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import Graph, IntArray, OffsetArray, frozen
from hinterland.storage.values.links import StoredCrawl


def crawled_graph(
    stored: StoredCrawl,
    zeros: Allocator = np.zeros,
    graph_of: Callable[[OffsetArray, IntArray], Graph] = Graph,
) -> tuple[CrawledGraph, NDArray[np.bool_]]:
    """Return the graph of a stored crawl, and which of its pages were fetched and are HTML, shape (n,).

    Crawled pages are in the order of their numbers, not of their visits. `zeros` allocates arrays and `graph_of` builds
    a graph from its rows, in memory or elsewhere (`MmapGraph`). The stored links are not copied.
    """
    offsets: OffsetArray = zeros(len(stored.outdegrees) + 1, np.int64)
    np.cumsum(stored.outdegrees, out=offsets[1:])
    crawled = places_where(len(stored.is_crawled), lambda part: stored.is_crawled[part], zeros)
    links = graph_of(frozen(offsets), frozen(stored.targets))
    return CrawledGraph.of(links, crawled, stored.is_local, stored.hosts), stored.is_fetched
