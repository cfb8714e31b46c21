"""What is known of a page whatever the query: PageRank by several ways to come to it, and what is used in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR, ESTIMATORS
from hinterland.analysis.graph import BoolArray, FloatArray, Graph, IntArray
from hinterland.analysis.local_domain import LocalDomain, true_ranks
from hinterland.analysis.pagerank import pagerank
from hinterland.crawler.policies import make_policy
from hinterland.lab.experiments.simulation import SimulatedCrawl, SimulatedWeb, batch_sizes, most_urgent
from hinterland.storage.reading.opening import reading

ITERATIONS: Final = 20
"""Iterations of FindGlobalPR for a hinterland as large as the domain."""
_TOLERANCE: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Farm:
    """A store as a graph of the pages whose links are known, n of N pages. pages: their numbers, shape (n,)."""

    graph: Graph
    pages: IntArray
    hosts: IntArray
    is_local: BoolArray
    page_count: int

    @classmethod
    def read(cls, store: Path) -> Farm:
        """Read the farm from a link store."""
        with reading(store) as reports:
            links = reports.links.all()
        pages = np.flatnonzero(np.frombuffer(links.is_visited, np.bool_)).astype(np.int32)
        sources, targets = np.frombuffer(links.sources, np.int32), np.frombuffer(links.targets, np.int32)
        graph = Graph.from_links(sources, targets, len(links.urls)).among(pages)
        numbers: dict[str, int] = {}
        hosts = [numbers.setdefault(links.urls[page].split("/")[2], len(numbers)) for page in pages.tolist()]
        is_local = np.frombuffer(links.is_local, np.bool_)[pages]
        return cls(graph, pages, np.array(hosts, np.int32), is_local, len(links.urls))

    def without(self, links: Iterable[tuple[int, int]]) -> Farm:
        """Return the same farm without some links (source, target)."""
        places = np.full(self.page_count, -1, np.int64)
        places[self.pages] = np.arange(len(self.pages))
        pairs = places[np.array(list(links), np.int64).reshape(-1, 2)]
        size = self.graph.page_count
        keys = self.graph.sources.astype(np.int64) * size + self.graph.targets
        kept = ~np.isin(keys, pairs[:, 0] * size + pairs[:, 1])
        graph = Graph.from_links(self.graph.sources[kept], self.graph.targets[kept], size)
        return Farm(graph, self.pages, self.hosts, self.is_local, self.page_count)

    def by_number(self, values: FloatArray, pages: IntArray | None = None) -> FloatArray:
        """Values of some pages of the graph, of the local ones by default, as an array by page number, shape (N,)."""
        spread = np.zeros(self.page_count)
        spread[self.pages[np.flatnonzero(self.is_local) if pages is None else pages]] = values
        return spread

    def local_pagerank(self) -> FloatArray:
        """Return the PageRank by the site's own links, by page number, like all the others."""
        local = np.flatnonzero(self.is_local).astype(np.int32)
        return self.by_number(pagerank(self.graph.among(local), tolerance=_TOLERANCE))

    def true_pagerank(self) -> FloatArray:
        """Return the PageRank of the whole graph, restricted to the domain."""
        return self.by_number(true_ranks(self.graph)[self.is_local])

    def indegree(self) -> FloatArray:
        """How many pages link to each, the domain's own and all others that are known."""
        return self.by_number(self.graph.indegrees[self.is_local].astype(np.float64))

    def local_indegree(self) -> FloatArray:
        """How many pages of the domain link to each."""
        local = np.flatnonzero(self.is_local).astype(np.int32)
        return self.by_number(self.graph.among(local).indegrees.astype(np.float64))

    def web(self, seed: int) -> SimulatedWeb:
        """Return what policies crawl."""
        return SimulatedWeb.drawn(LocalDomain("", self.graph, self.is_local, self.hosts, true_ranks(self.graph)), seed)

    def estimates(self, web: SimulatedWeb, policy: str, multiples: Sequence[int], seed: int) -> Iterator[FloatArray]:
        """Yield estimates of global PageRank after hinterlands of these multiples of n pages, ascending.

        FindGlobalPR (Davis & Dhillon, KDD 2006) in batches of n / ITERATIONS pages.
        """
        chooser = make_policy(policy, seed)
        crawl = SimulatedCrawl(web, chooser)
        crawl.crawl_local()
        done = 0
        for multiple in multiples:
            for batch in batch_sizes((multiple - done) * web.local_count, (multiple - done) * ITERATIONS):
                for page in most_urgent(crawl, chooser, crawl.snapshot(), crawl.frontier(), batch).tolist():
                    crawl.crawl(page)
            done = multiple
            crawled = crawl.snapshot()
            ranks = ESTIMATORS[DEFAULT_ESTIMATOR]().estimate(crawled)
            yield self.by_number(ranks, crawl.places_in_graph(crawled.local))


def url_depth(urls: Sequence[str]) -> FloatArray:
    """1 / (1 + slashes in the path): the home page has the most; by page number."""
    return np.array([1 / (1 + url.partition("?")[0].rstrip("/").count("/") - 2) for url in urls])


def url_shortness(urls: Sequence[str]) -> FloatArray:
    """1 / characters; by page number."""
    return np.array([1 / len(url) for url in urls])


def of_documents(
    prior: FloatArray, pages: NDArray[np.int64], members: Mapping[int, Sequence[int]], is_shown: BoolArray
) -> FloatArray:
    """Return the joint prior of the pages folded into each document, in multiples of the average; parallel to `pages`.

    `is_shown` marks pages that were fetched; a redirect has passed its rank on. It is by page number.
    """
    together = prior[pages].copy()
    for place, page in enumerate(pages.tolist()):
        together[place] += sum(prior[member] for member in members.get(page, ()) if is_shown[member])
    return np.asarray(together / together.mean(), np.float64)
