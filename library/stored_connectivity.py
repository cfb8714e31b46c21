"""Questions about the links of single pages, asked of a store by SQL: nothing is computed, no graph is in memory."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.local_domain import host_of
from hinterland.storage.reading.reader import StoreReader


class StoredConnectivity:
    """Answers as a `Connectivity` of the same store does; its nodes are the numbers of pages. The reader belongs to the
    caller, and is at one moment as long as this is asked.

    Who links to a page is told by an index; while a crawl runs there is none, and every such question reads all links.
    """

    has_urls = True

    def __init__(self, store: StoreReader) -> None:
        self._store = store
        self.page_count = store.pages.count()

    def node_of(self, url: str) -> int | None:
        """None if there is no such page."""
        return self._store.pages.number_of(url)

    def node_of_page(self, page: int) -> int:
        """Raises IndexError for a page that there is not."""
        if not 0 <= page < self.page_count:
            raise IndexError(f"{page} is not one of the {self.page_count} pages")
        return page

    def page_of(self, node: int) -> int:
        return node

    def url_of(self, node: int) -> str:
        return self._store.pages.urls_of([node])[node]

    def urls_near(self, url: str, count: int) -> list[str]:
        """Those that stand next to where it would stand, half of them before."""
        before, after = self._store.pages.urls_around(url, count)
        earlier = min(len(before), max(count // 2, count - len(after)))
        return [*reversed(before[:earlier]), *after[: count - earlier]]

    def neighbourhood(
        self, node: int, depth: int, *, inlinks: bool, remote_only: bool = False
    ) -> list[NDArray[np.int32]]:
        """The nodes at distance 1, 2, ... `depth` along the links or against them, each where it is reached first, in
        the order of their URLs; ends early where there are no more.
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
        """Of the hosts, by number: one with http and one with https share theirs."""
        return [host_of(url) for url in self._store.hosts.urls()]
