"""A connectivity server in memory: it maps URLs to numbers, and finds links in both directions.

Bharat et al., "The Connectivity Server" (WWW 1998), which needed 8 bytes per link for both directions. Najork & Wiener
(WWW 2001) measured their crawl with such a server.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hinterland.analysis.graph import BoolArray, Graph, IntArray
from hinterland.analysis.local_domain import host_of
from hinterland.lab.connectivity.bv_graph import BvGraph
from hinterland.lab.connectivity.front_coding import FrontCoded


class NoNames(Exception):
    """Raised if a query needs URLs or hosts, but the graph has none."""


@dataclass(frozen=True, eq=False)
class Hosts:
    """The host of each node, stored as ranges: nodes are in the order of their URLs, so pages of a host are adjacent.

    A range holds the pages with the same scheme and host. `starts` is the first node of each range, and `numbers` the
    number of its host; both have shape (ranges,).
    """

    starts: IntArray
    numbers: IntArray

    @classmethod
    def of(cls, urls: Iterable[str]) -> Hosts:
        """Find the hosts of URLs, which must be in ascending order."""
        starts, numbers, known, last = list[int](), list[int](), dict[str, int](), None
        for node, url in enumerate(urls):
            host = host_of(url)
            if host != last:
                starts.append(node)
                numbers.append(known.setdefault(host, len(known)))
                last = host
        return cls(np.array(starts, np.int32), np.array(numbers, np.int32))

    def of_nodes(self, nodes: IntArray) -> IntArray:
        """Return the host number of each node, shape (k,)."""
        return self.numbers[np.searchsorted(self.starts, nodes, side="right") - 1]


@dataclass(frozen=True, eq=False)
class Connectivity:
    """The links of n pages, in both directions.

    If the graph has URLs, nodes are numbered by URL in ascending order, and `urls` is ordered by node. Otherwise, nodes
    keep the numbers of the graph, and `urls` and `hosts` are None. `pages` holds the original number of each node,
    shape (n,), and `nodes` is its inverse; both are None if the numbers are the same.
    """

    forward: BvGraph
    backward: BvGraph
    urls: FrontCoded | None = None
    hosts: Hosts | None = None
    pages: IntArray | None = None
    nodes: IntArray | None = None

    @classmethod
    def of(cls, graph: Graph, names: Sequence[str] | None = None) -> Connectivity:
        """Index a graph. `names` are the URLs of all pages, in any order, and may repeat."""
        if names is None:
            return cls(BvGraph.of(graph), BvGraph.of(graph.transposed))
        order = sorted(range(len(names)), key=lambda page: names[page].encode("utf-8", "surrogatepass"))
        pages = np.array(order, np.int32)
        nodes = np.empty_like(pages)
        nodes[pages] = np.arange(len(pages), dtype=np.int32)
        numbered = Graph.from_links(nodes[graph.sources], nodes[graph.targets], graph.page_count)
        ascending = [names[page] for page in order]
        return cls(
            BvGraph.of(numbered),
            BvGraph.of(numbered.transposed),
            FrontCoded.of(ascending),
            Hosts.of(ascending),
            pages,
            nodes,
        )

    @property
    def has_urls(self) -> bool:
        """Whether the pages have URLs."""
        return self.urls is not None

    @property
    def page_count(self) -> int:
        """The number of pages."""
        return self.forward.page_count

    @property
    def link_count(self) -> int:
        """The number of links."""
        return self.forward.link_count

    @property
    def link_bytes(self) -> int:
        """The size of the links in memory, both directions, in bytes."""
        return self.forward.byte_count + self.backward.byte_count

    # ---------------------------------------------------------------- names

    def node_of(self, url: str) -> int | None:
        """Return the node of a URL, or None if there is no such page. Raises NoNames."""
        return self._urls.place_of(url)

    def url_of(self, node: int) -> str:
        """Return the URL of a node. Raises NoNames, and IndexError for an unknown node."""
        return self._urls[node]

    def page_of(self, node: int) -> int:
        """Return the number that a node has in the original graph."""
        return node if self.pages is None else int(self.pages[node])

    def node_of_page(self, page: int) -> int:
        """Return the node of a page of the original graph. Raises IndexError for an unknown page."""
        if not 0 <= page < self.page_count:
            raise IndexError(f"{page} is not one of the {self.page_count} pages")
        return page if self.nodes is None else int(self.nodes[page])

    def urls_near(self, url: str, count: int) -> list[str]:
        """Return up to `count` URLs around this URL in alphabetical order, half of them before it. Raises NoNames."""
        place = self._urls.place_before(url)
        first = max(0, min(place - count // 2, self.page_count - count))
        return [self._urls[node] for node in range(first, min(first + count, self.page_count))]

    @property
    def _urls(self) -> FrontCoded:
        if self.urls is None:
            raise NoNames("the graph has no URLs, only numbers of pages")
        return self.urls

    # ---------------------------------------------------------------- links

    def outlinks(self, node: int, *, remote_only: bool = False) -> IntArray:
        """Return the nodes to which this node links, ascending; with `remote_only`, only nodes on other hosts.

        Raises NoNames if the hosts must be known but are not, and IndexError for an unknown node. So do the other
        methods for links.
        """
        return self._remote(node, self.forward.successors(node)) if remote_only else self.forward.successors(node)

    def inlinks(self, node: int, *, remote_only: bool = False) -> IntArray:
        """Return the nodes that link to this node, ascending."""
        return self._remote(node, self.backward.successors(node)) if remote_only else self.backward.successors(node)

    def _remote(self, node: int, others: IntArray) -> IntArray:
        hosts = self._hosts
        is_remote: BoolArray = hosts.of_nodes(others) != hosts.of_nodes(np.array([node], np.int32))
        return others[is_remote]

    def neighbourhood(self, node: int, depth: int, *, inlinks: bool, remote_only: bool = False) -> list[IntArray]:
        """Return the nodes at distance 1, 2, ... `depth`, in the direction of the links or, with `inlinks`, against it.

        Each node is listed only at its least distance, ascending. The list is shorter than `depth` if no node is
        farther away.
        """
        graph = self.backward if inlinks else self.forward
        is_known = np.zeros(self.page_count, np.bool_)
        is_known[node] = True
        rings, ring = list[IntArray](), np.array([node], np.int32)
        for _ in range(depth):
            offsets, others = graph.rows_of(ring)
            if remote_only:
                sources = np.repeat(ring, np.diff(offsets))
                others = others[self._hosts.of_nodes(others) != self._hosts.of_nodes(sources)]
            ring = np.unique(others[~is_known[others]])
            if not len(ring):
                break
            is_known[ring] = True
            rings.append(ring)
        return rings

    @property
    def _hosts(self) -> Hosts:
        if self.hosts is None:
            raise NoNames("the graph has no URLs, so hosts are unknown")
        return self.hosts
