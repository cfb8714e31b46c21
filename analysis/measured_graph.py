"""A web graph with all that a measurement may ask of it, whatever file it came from."""

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
    """The n known pages and the links of the ℓ crawled ones; `crawled.links` is their graph, `crawled.inner` that of
    the crawled pages alone.

    visit_order: the crawled pages in the order of their visits, shape (ℓ,); None if it is not known. names: of all
    pages, URLs or the like, shape (n,); None if there are none or nobody wanted them. hosts: what the numbers in
    `crawled.hosts` stand for, and host_names, by number; None if a page's host is not known. is_dead: whether a page
    was asked for in vain, shape (n,); None if it is not known. has_domain: whether `crawled.is_local` says more than
    that all pages are. is_redirect: whether a crawled page only leads to another, shape (n,); None if none does.
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
    """A graph from a file, all its pages local."""
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
