"""Answers questions about the links of single pages by SQL; no graph is built or held in memory."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.local_domain import host_of
from hinterland.storage.reading.reader import StoreReader


class StoredConnectivity:
    """Gives the same answers as a `Connectivity` of the store; its nodes are the numbers of pages.

    The reader belongs to the caller, who must keep it in one read transaction during all queries. Inlinks are found by
    an SQL index. While a crawl runs, the store lacks this index, so each query about inlinks reads all links.
    """

    has_urls = True

    def __init__(self, store: StoreReader) -> None:
        """Count the pages of the store."""
        self._store = store
        self.page_count = store.pages.count()

    def node_of(self, url: str) -> int | None:
        """Return the page at a URL; None if there is no such page."""
        return self._store.pages.number_of(url)

    def node_of_page(self, page: int) -> int:
        """Return the node of a page. Raises IndexError if there is no such page."""
        if not 0 <= page < self.page_count:
            raise IndexError(f"{page} is not the number of one of the {self.page_count} pages")
        return page

    def page_of(self, node: int) -> int:
        """Return the number of the page at a node. It is the same as the node."""
        return node

    def url_of(self, node: int) -> str:
        """Return the URL of a node."""
        return self._store.pages.urls_of([node])[node]

    def urls_near(self, url: str, count: int) -> list[str]:
        """Return up to `count` URLs around this URL in alphabetical order, half of them before it."""
        before, after = self._store.pages.urls_around(url, count)
        earlier = min(len(before), max(count // 2, count - len(after)))
        return [*reversed(before[:earlier]), *after[: count - earlier]]

    def neighbourhood(
        self, node: int, depth: int, *, inlinks: bool, remote_only: bool = False
    ) -> list[NDArray[np.int32]]:
        """Return the nodes at distance 1, 2, ... `depth` along the links or, with `inlinks`, against them.

        Each node is listed at the shortest distance, and the nodes of a distance are in the order of their URLs. The
        result is shorter than `depth` if no more nodes are reached.
        """
        known, ring, rings = {node}, {node}, list[NDArray[np.int32]]()
        for _ in range(depth):
            links = self._store.links.of_pages(sorted(ring), inlinks=inlinks)
            if remote_only:
                links = self._between_hosts(links)
            ring = {source if inlinks else target for source, target in links} - known
            if not ring:
                break
            known |= ring
            rings.append(self._in_order(ring))
        return rings

    def _in_order(self, nodes: set[int]) -> NDArray[np.int32]:
        urls = self._store.pages.urls_of(sorted(nodes))
        return np.array(sorted(nodes, key=lambda node: urls[node].encode("utf-8", "surrogatepass")), np.int32)

    def _between_hosts(self, links: list[tuple[int, int]]) -> list[tuple[int, int]]:
        numbers = self._store.pages.hosts_of(sorted({page for link in links for page in link}))
        names = {page: self._names[number] for page, number in numbers.items()}
        return [(source, target) for source, target in links if names[source] != names[target]]

    @cached_property
    def _names(self) -> list[str]:
        """The names of the hosts, by host number. An http host and an https host may have the same name."""
        return [host_of(url) for url in self._store.hosts.urls()]
