"""Questions about the links of single pages, asked of a store by SQL: nothing is computed, no graph is in memory."""

from __future__ import annotations

import json
import sqlite3
from functools import cached_property

import numpy as np

from hinterland.analysis.graph import IntArray
from hinterland.analysis.local_domain import host_of
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.schema import LINKING_OUTCOMES

_LINKS = (
    "SELECT DISTINCT link.source, link.target FROM link JOIN fetch ON fetch.page = link.source"
    " WHERE {} IN (SELECT value FROM json_each(?)) AND link.source <> link.target"
    f" AND fetch.outcome IN {LINKING_OUTCOMES}"
)


class StoredConnectivity:
    """Answers as a `Connectivity` of the same store does; its nodes are the numbers of pages. The connection belongs to
    the caller, and is at one moment as long as this is asked.

    Who links to a page is told by an index; while a crawl runs there is none, and every such question reads all links.
    """

    has_urls = True

    def __init__(self, store: StoreReader) -> None:
        self._store = store
        self._connection: sqlite3.Connection = store.connection
        [(self.page_count,)] = self._connection.execute("SELECT coalesce(max(id) + 1, 0) FROM page")

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
        before = self._urls("url < ? ORDER BY url DESC", url, count)
        after = self._urls("url >= ? ORDER BY url", url, count)
        earlier = min(len(before), max(count // 2, count - len(after)))
        return [*reversed(before[:earlier]), *after[: count - earlier]]

    def neighbourhood(self, node: int, depth: int, *, inlinks: bool, remote_only: bool = False) -> list[IntArray]:
        """The nodes at distance 1, 2, ... `depth` along the links or against them, each where it is reached first, in
        the order of their URLs; ends early where there are no more."""
        here = "link.target" if inlinks else "link.source"
        known, ring, rings = {node}, {node}, list[IntArray]()
        for _ in range(depth):
            links = self._connection.execute(_LINKS.format(here), (json.dumps(sorted(ring)),)).fetchall()
            if remote_only:
                links = self._between_hosts(links)
            ring = {source if inlinks else target for source, target in links} - known
            if not ring:
                break
            known |= ring
            rings.append(self._in_order(ring))
        return rings

    def _urls(self, condition: str, url: str, count: int) -> list[str]:
        sql = f"SELECT url FROM page WHERE {condition} LIMIT ?"
        return [str(found) for (found,) in self._connection.execute(sql, (url, count))]

    def _in_order(self, nodes: set[int]) -> IntArray:
        urls = self._store.pages.urls_of(sorted(nodes))
        return np.array(sorted(nodes, key=lambda node: urls[node].encode("utf-8", "surrogatepass")), np.int32)

    def _between_hosts(self, links: list[tuple[int, int]]) -> list[tuple[int, int]]:
        ends = json.dumps(sorted({page for link in links for page in link}))
        sql = "SELECT id, host FROM page WHERE id IN (SELECT value FROM json_each(?))"
        host = {page: self._hosts[number] for page, number in self._connection.execute(sql, (ends,))}
        return [(source, target) for source, target in links if host[source] != host[target]]

    @cached_property
    def _hosts(self) -> dict[int, str]:
        """By number the name, which a host with http and one with https may share."""
        return {number: host_of(url) for number, url in self._connection.execute("SELECT id, url FROM host")}
