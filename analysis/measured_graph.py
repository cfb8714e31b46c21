"""A web graph with everything that a measurement may need, read from any kind of file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import BoolArray, IntArray
from hinterland.analysis.local_domain import hosts_of, url_hosts_of
from hinterland.analysis.stored_graph import StoredGraph


@dataclass(frozen=True, eq=False)
class MeasuredGraph:
    """The n known pages and the links of the ℓ crawled pages.

    crawled        `crawled.links` is the graph of all known pages, `crawled.inner` that of the crawled pages alone
    visit_order    the crawled pages in the order of their visits, shape (ℓ,); None if unknown
    names          the URLs or other names of all pages, shape (n,); None if there are no names or nobody needs them
    host_names     the names of hosts, by host number; None if hosts are unknown
    is_dead        whether requests for a page failed, shape (n,); None if unknown
    has_domain     False if the file does not say which pages are local; all pages then count as local
    is_redirect    whether a crawled page is a redirect, shape (n,); None if no page is a redirect
    """

    name: str
    crawled: CrawledGraph
    visit_order: IntArray | None = None
    names: Sequence[str] | None = None
    host_names: Sequence[str] | None = None
    is_dead: BoolArray | None = None
    has_domain: bool = False
    is_redirect: BoolArray | None = None


def measured(stored: StoredGraph) -> MeasuredGraph:
    """Return a stored graph for measurements. If the file does not say which pages are local, all pages are."""
    pages = np.arange(stored.crawled_count, dtype=np.int32)
    is_local = np.ones(stored.graph.page_count, np.bool_) if stored.is_local is None else stored.is_local
    named = url_hosts_of(stored)
    hosts = hosts_of(stored) if named is None else named.numbers
    return MeasuredGraph(
        stored.name,
        CrawledGraph.of(stored.graph, pages, is_local, hosts),
        stored.visit_order,
        names=stored.names,
        host_names=None if named is None else named.names,
        has_domain=stored.is_local is not None,
    )
