"""Everything that is reported about the structure of one graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.analysis.graph import IntArray
from hinterland.analysis.measured_graph import MeasuredGraph
from hinterland.lab.structure.components import Components, Region
from hinterland.lab.structure.course import DiscoveryPoint, Drift, Part, discovery, drifts, parts
from hinterland.lab.structure.distances import ROUGH, THOROUGH, Distances
from hinterland.lab.structure.figures import Figure, Measurements, figures, measurements
from hinterland.lab.structure.hosts import HostFigures, host_figures
from hinterland.lab.structure.laws import Law, law
from hinterland.lab.structure.null_model import SHAPED, with_same_degrees

_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class DeadLinks:
    """Links to pages that could not be fetched.

    `pages` counts these pages, and `links` the links to them. `links_to_visited` counts the links to all pages that
    were requested, and `sources` the pages with a dead link.
    """

    pages: int
    links: int
    links_to_visited: int
    sources: int


@dataclass(frozen=True, slots=True)
class TopPage:
    """A page with a high PageRank; `number` is its number among all known pages, `name` is None if it has no name."""

    number: int
    name: str | None
    rank: float
    indegree: int


@dataclass(frozen=True, eq=False, slots=True)
class StructureReport:
    """The structure of one graph.

        known, crawled    numbers of pages
        links             the number of links of the crawled pages
        links_out         the number of links to pages that were not crawled
        figures           figures that summarise the crawled pages
        at_random         some of these figures for a random graph with the same degrees
        laws              the laws of quantities, by name
        regions           the number of pages in each Region of the bow tie
        core_sizes        the number of pages in the k-core, by k, from 0
        seed              the seed of all random draws

    `hosts`, `dead_links`, `discovery` and `drifts` are None or empty if the file does not have them.
    """

    name: str
    known: int
    crawled: int
    links: int
    links_out: int
    figures: dict[str, Figure]
    at_random: dict[str, Figure]
    laws: dict[str, Law]
    regions: Sequence[int]
    strong_count: int
    weak_count: int
    distances: Distances
    core_sizes: Sequence[int]
    top: Sequence[TopPage]
    hosts: HostFigures | None
    dead_links: DeadLinks | None
    discovery: Sequence[DiscoveryPoint]
    drifts: Sequence[Drift]
    seed: int


def structure_report(
    graph: MeasuredGraph, *, seed: int = 1, told: Callable[[str], None] = lambda _: None
) -> StructureReport:
    """Measure a graph. `told` is called with the name of each step before the step."""
    rng = np.random.default_rng(seed)
    crawled = graph.crawled
    inner = crawled.inner
    outdegrees = crawled.links.outdegrees[crawled.crawled]
    measured = measurements(inner, outdegrees, rng, told, THOROUGH)
    short = figures(measured)
    told("degree laws")
    laws = _laws(measured, rng)
    told("a random graph")
    dealt = measurements(with_same_degrees(inner, rng), outdegrees, rng, lambda _: None, ROUGH)
    at_random = {name: figure for name, figure in figures(dealt).items() if name in SHAPED}
    del dealt
    told("hosts")
    hosts = host_figures(crawled, graph.host_names, rng) if graph.host_names is not None else None
    points, moved = list[DiscoveryPoint](), list[Drift]()
    if graph.visit_order is not None:
        told("discovery")
        points = discovery(crawled, graph.visit_order, measured.ranks)
        moved = drifts([*parts(crawled, graph.visit_order, rng, told), Part(1.0, short)])
    return StructureReport(
        name=graph.name,
        known=crawled.page_count,
        crawled=inner.page_count,
        links=crawled.links.link_count,
        links_out=crawled.links.link_count - inner.link_count,
        figures=short,
        at_random=at_random,
        laws=laws,
        regions=[int(measured.bow_tie.counts[region]) for region in Region],
        strong_count=len(measured.strong.sizes),
        weak_count=len(measured.weak.sizes),
        distances=measured.distances,
        core_sizes=_core_sizes(measured.coreness),
        top=_top(graph, measured),
        hosts=hosts,
        dead_links=_dead_links(graph),
        discovery=points,
        drifts=moved,
        seed=seed,
    )


def _laws(measured: Measurements, rng: np.random.Generator) -> dict[str, Law]:
    return {
        "in-degree": law(measured.graph.indegrees, rng),
        "out-degree": law(measured.outdegrees, rng),
        "PageRank": law(measured.rank_units, rng),
        "strong components": law(_without_largest(measured.strong), rng),
        "weak components": law(_without_largest(measured.weak), rng),
    }


def _without_largest(found: Components) -> IntArray:
    """Return the sizes of all components except the giant component, which does not follow the same law."""
    return np.delete(found.sizes, int(np.argmax(found.sizes))) if len(found.sizes) else found.sizes


def _core_sizes(coreness: IntArray) -> list[int]:
    """Return how many pages are in the k-core, for each k from 0."""
    return [int(size) for size in np.cumsum(np.bincount(coreness)[::-1])[::-1]]


def _top(graph: MeasuredGraph, measured: Measurements) -> list[TopPage]:
    places = np.argsort(-measured.ranks, kind="stable")[:_SHOWN]
    return [
        TopPage(
            number := int(graph.crawled.crawled[place]),
            graph.names[number] if graph.names is not None else None,
            float(measured.ranks[place]),
            int(measured.graph.indegrees[place]),
        )
        for place in places.tolist()
    ]


def _dead_links(graph: MeasuredGraph) -> DeadLinks | None:
    if graph.is_dead is None:
        return None
    links = graph.crawled.links
    leads_to_dead = graph.is_dead[links.targets]
    visited = int((leads_to_dead | graph.crawled.is_crawled[links.targets]).sum())
    sources = len(np.unique(links.sources[leads_to_dead]))
    return DeadLinks(int(graph.is_dead.sum()), int(leads_to_dead.sum()), visited, sources)
