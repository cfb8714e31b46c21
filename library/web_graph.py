"""The links of a crawl as a graph for computations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hinterland.analysis.graph import BoolArray, FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import DAMPING, pagerank
from hinterland.distribution.extras import need
from hinterland.library.packages import require


@dataclass(frozen=True, eq=False)
class WebGraph:
    """All n known pages, and the links of the crawled pages. Pages are numbered as in the store.

    `links` are compressed sparse rows: `links.offsets` of shape (n + 1,) and `links.targets` of shape (links,). A link
    counts once, and links from a page to itself are left out. `urls` has n entries. Three arrays of shape (n,) are
    indexed by page number: `is_crawled` says whether the page's links are known, `is_local` whether it is local, and
    `hosts` is the index of its host in `host_urls`.
    """

    links: Graph
    urls: Sequence[str]
    is_crawled: BoolArray
    is_local: BoolArray
    hosts: IntArray
    host_urls: Sequence[str]

    def pagerank(self, damping: float = DAMPING) -> FloatArray:
        """Return the PageRank of all pages, shape (n,); it sums to 1.

        Pages without known links pass their rank on to all pages.
        """
        return pagerank(self.links, damping=damping)

    def among(self, pages: IntArray | Sequence[int]) -> WebGraph:
        """Return the subgraph of these distinct pages; its page i is page pages[i] of this graph."""
        chosen = np.asarray(pages, np.int32)
        return WebGraph(
            self.links.among(chosen),
            [self.urls[page] for page in chosen.tolist()],
            self.is_crawled[chosen],
            self.is_local[chosen],
            self.hosts[chosen],
            self.host_urls,
        )

    def to_scipy(self) -> Any:
        """Return the adjacency matrix: a scipy.sparse.csr_array of shape (n, n) with 1 at (source, target).

        Raises MissingPackage.
        """
        need("research", by="a sparse matrix")
        from scipy.sparse import csr_array

        ones = np.ones(self.links.link_count, np.int8)
        shape = self.links.page_count, self.links.page_count
        return csr_array((ones, self.links.targets, self.links.offsets), shape=shape)

    def to_networkx(self) -> Any:
        """Return a networkx.DiGraph of page numbers, each with its `url`. Half a kilobyte per link: for small graphs.

        Raises MissingPackage.
        """
        nx = require("networkx")

        graph = nx.DiGraph()
        graph.add_nodes_from((page, {"url": url}) for page, url in enumerate(self.urls))
        graph.add_edges_from(zip(self.links.sources.tolist(), self.links.targets.tolist(), strict=True))
        return graph

    def to_igraph(self) -> Any:
        """Return a directed igraph.Graph whose vertices are page numbers, with the attribute `url`.

        Raises MissingPackage.
        """
        igraph = require("igraph")
        links = np.column_stack((self.links.sources, self.links.targets))
        graph = igraph.Graph(n=self.links.page_count, edges=links, directed=True)
        graph.vs["url"] = list(self.urls)
        return graph
