"""The graph of hosts: two hosts are linked if a page of one links to a page of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import Graph, occurrences
from hinterland.lab.structure.components import BowTie, bow_tie, components
from hinterland.lab.structure.laws import Law, law

_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class HostFigures:
    """The figures of the graph of hosts.

    known          the number of hosts of known pages
    crawled        the number of hosts with a crawled page
    within         the share of links that stay on their host
    links          the number of ordered pairs of different hosts with a link
    pages          the law of the number of crawled pages per host
    inlinks        the law of the number of hosts that link to a host
    tie            the bow tie of the crawled hosts
    most_linked    hosts, each with the number of other hosts that link to it
    largest        hosts, each with its number of crawled pages
    """

    known: int
    crawled: int
    within: float
    links: int
    pages: Law
    inlinks: Law
    tie: BowTie
    most_linked: Sequence[tuple[str, int]]
    largest: Sequence[tuple[str, int]]


def host_figures(crawled: CrawledGraph, names: Sequence[str], rng: np.random.Generator) -> HostFigures:
    """Measure the graph of hosts. `names` holds the name of each host, by host number."""
    links, hosts = crawled.links, crawled.hosts
    sources, targets = hosts[links.sources], hosts[links.targets]
    graph = Graph.from_links(sources, targets, len(names))
    pages = occurrences(hosts[crawled.crawled], len(names))
    visited = np.flatnonzero(pages)
    among = graph.among(visited)
    tie = bow_tie(among, components(among, "strong"), components(among, "weak"))
    within = float((sources == targets).mean()) if len(sources) else 0.0
    return HostFigures(
        known=len(np.unique(hosts)),
        crawled=len(visited),
        within=within,
        links=graph.link_count,
        pages=law(pages[visited], rng),
        inlinks=law(graph.indegrees, rng),
        tie=tie,
        most_linked=_first(graph.indegrees, names),
        largest=_first(pages, names),
    )


def _first(counts: np.typing.NDArray[np.int32], names: Sequence[str]) -> list[tuple[str, int]]:
    order = np.argsort(-counts, kind="stable")[:_SHOWN]
    return [(names[host], int(counts[host])) for host in order.tolist() if counts[host]]
