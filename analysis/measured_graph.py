"""A web graph with everything that a measurement may need, from whatever file."""

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
    """The n known pages and the links of the ℓ crawled ones.

    `crawled.links` is their graph, `crawled.inner` that of the crawled pages alone. `visit_order` holds the crawled
    pages in the order of their visits, shape (ℓ,); None if unknown. `names` are the URLs or other names of all pages,
    shape (n,); None if there are none or they are not needed. `host_names` are the names by host number; None if hosts
    are unknown. `is_dead` tells whether a page was requested in vain, shape (n,); None if unknown. `has_domain` is
    False if simply all pages count as local. `is_redirect` tells whether a crawled page only leads to another, shape
    (n,); None if none does.
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
    """Return a graph from a file, with all its pages local unless it says which are."""
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
