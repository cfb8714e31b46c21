"""What a crawl knows about the web's links at some point of its course."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import chunks, gathered, places_where
from hinterland.analysis.graph import BoolArray, Graph, IntArray, OffsetArray, occurrences
from hinterland.analysis.mmap_graph import MmapGraph


@dataclass(frozen=True, eq=False)
class CrawledGraph:
    """The known pages, and the links of the crawled pages; a read-only value.

    Of the n known pages, ℓ are crawled: `order`, shape (ℓ,), in crawl order. The links of order[i] are targets[ends[i -
    1]:ends[i]]. The other pages are the frontier: their links are unknown. `is_local`, shape (n,), tells whether a page
    belongs to the local domain; `hosts`, shape (n,), is the number of its host. Creating such a graph copies and builds
    nothing: derived values are computed at first use, in the thread that uses them.
    """

    order: IntArray
    ends: OffsetArray
    targets: IntArray
    is_local: BoolArray
    hosts: IntArray

    @classmethod
    def of(cls, links: Graph, crawled: IntArray, is_local: BoolArray, hosts: IntArray) -> CrawledGraph:
        """Return a crawled graph from the graph of all pages, as if pages had been crawled in ascending order.

        `links` is the graph of all n known pages, which is not copied. `crawled` holds the crawled pages, ascending,
        shape (ℓ,).
        """
        found = cls(crawled, gathered(links.offsets[1:], crawled, links.zeros), links.targets, is_local, hosts)
        vars(found)["links"] = links
        return found

    def afresh(self) -> CrawledGraph:
        """Return the same graph without its derived values, except `links`, so that their memory can be freed."""
        found = CrawledGraph(self.order, self.ends, self.targets, self.is_local, self.hosts)
        vars(found)["links"] = self.links.afresh()
        return found

    def filed(self, folder: Path) -> CrawledGraph:
        """Return the same graph with `links` and derived values in files; see MmapGraph.

        Raises OSError if there is no space for them.
        """
        found = CrawledGraph(self.order, self.ends, self.targets, self.is_local, self.hosts)
        vars(found)["links"] = MmapGraph.of_rows(self.order, self.ends, self.targets, self.page_count, folder)
        return found

    @property
    def page_count(self) -> int:
        """n, the number of known pages."""
        return len(self.is_local)

    @cached_property
    def links(self) -> Graph:
        """The graph of all n known pages and all known links; frontier pages have no links."""
        return Graph.from_rows(self.order, self.ends, self.targets, self.page_count)

    @cached_property
    def indegrees(self) -> IntArray:
        """How many crawled pages link to each known page, shape (n,)."""
        return occurrences(self.targets, self.page_count)

    @cached_property
    def is_crawled(self) -> BoolArray:
        """Whether each page is crawled, shape (n,)."""
        mask: BoolArray = self._zeros(self.page_count, np.bool_)
        for part in chunks(len(self.order)):
            mask[self.order[part]] = True
        return mask

    @cached_property
    def crawled(self) -> IntArray:
        """The crawled pages, ascending, shape (ℓ,)."""
        return places_where(self.page_count, lambda part: self.is_crawled[part], self._zeros)

    @cached_property
    def inner(self) -> Graph:
        """The graph F of the crawled pages alone; page i of it is crawled[i]."""
        return self.links.among(self.crawled)

    @cached_property
    def local(self) -> IntArray:
        """The crawled pages of the local domain, ascending."""
        return places_where(self.page_count, lambda part: self.is_crawled[part] & self.is_local[part], self._zeros)

    def _zeros(self, size: int, kind: type[np.generic]) -> NDArray[Any]:
        """Return a zeroed array in the storage that `links` uses, or in memory if `links` has not been computed yet."""
        links = vars(self).get("links")
        return np.zeros(size, kind) if links is None else links.zeros(size, kind)
