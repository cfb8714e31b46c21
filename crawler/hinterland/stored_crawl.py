"""The graph of a crawl that is in a store, as the crawl itself had it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from analysis.crawled_graph import CrawledGraph
from analysis.graph import Graph
from storage.values.links import StoredCrawl


def crawled_graph(
    stored: StoredCrawl, kept: Callable[[Graph], Graph] = lambda links: links
) -> tuple[CrawledGraph, NDArray[np.bool_]]:
    """The graph, and which pages were fetched and are HTML; shape (n,). Its pages stand in the order of their numbers,
    not in that of their visits. kept: what keeps the links elsewhere, such as a `FiledGraph`."""
    offsets = np.zeros(len(stored.outdegrees) + 1, np.int64)
    np.cumsum(stored.outdegrees, out=offsets[1:])
    for array in (offsets, stored.targets):
        array.flags.writeable = False  # as those of every graph: what is compiled for them is compiled once
    crawled = np.flatnonzero(stored.is_crawled).astype(np.int32)
    links = kept(Graph(offsets, stored.targets))
    return CrawledGraph.of(links, crawled, stored.is_local, stored.hosts), stored.is_fetched
