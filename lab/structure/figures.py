"""The figures that summarise a graph, cheap enough to compute for every part of a crawl."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import pagerank
from hinterland.lab.structure.components import BowTie, Components, Region, bow_tie, components
from hinterland.lab.structure.density import Clustering, clustering, coreness, undirected
from hinterland.lab.structure.distances import Distances, Effort, Estimated, distances
from hinterland.lab.structure.laws import in_units_of_the_least
from hinterland.lab.structure.power_law import PowerLaw, ValueCounts, fitted

_RANK_TOLERANCE: Final = 1e-6


@dataclass(frozen=True, eq=False, slots=True)
class Measurements:
    """Measurements of the graph of some crawled pages and the links among them.

    Only `outdegrees`, shape (n,), also counts links to other pages; all links of a crawled page are known.
    """

    graph: Graph
    outdegrees: IntArray
    strong: Components
    weak: Components
    bow_tie: BowTie
    coreness: IntArray
    clustering: Clustering
    distances: Distances
    ranks: FloatArray

    @property
    def rank_units(self) -> NDArray[np.int64]:
        """The PageRank of each page as a multiple of the smallest, rounded."""
        return in_units_of_the_least(self.ranks)


def measurements(
    graph: Graph, outdegrees: IntArray, rng: np.random.Generator, told: Callable[[str], None], effort: Effort
) -> Measurements:
    """Measure a graph.

    `told` is called with the name of each step before the step. `effort` is how much memory and time estimating
    distances may take.
    """
    told("components")
    strong, weak = components(graph, "strong"), components(graph, "weak")
    tie = bow_tie(graph, strong, weak)
    told("cores and clustering")
    neighbours = undirected(graph)
    cores, clusters = coreness(neighbours), clustering(neighbours)
    del neighbours
    told("PageRank")
    ranks = pagerank(graph, tolerance=_RANK_TOLERANCE)
    told("distances")
    return Measurements(
        graph=graph,
        outdegrees=outdegrees,
        strong=strong,
        weak=weak,
        bow_tie=tie,
        coreness=cores,
        clustering=clusters,
        distances=distances(graph, rng, effort),
        ranks=ranks,
    )


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure; `error` is half the width of its 95 % interval, None if it is exact for this graph."""

    value: float
    error: float | None = None


def figures(measured: Measurements) -> dict[str, Figure]:
    """Return the figures by name.

    Figures that the graph does not have are left out, such as an exponent if there are too few values.
    """
    n, tie, spread = measured.graph.page_count, measured.bow_tie, measured.distances.figures
    found: dict[str, Figure | None] = {
        "mean out-degree": Figure(_mean(measured.outdegrees)),
        "mean in-degree": Figure(_mean(measured.graph.indegrees)),
        "in-degree exponent": _exponent(measured.graph.indegrees),
        "out-degree exponent": _exponent(measured.outdegrees),
        "PageRank exponent": _exponent(measured.rank_units),
        "sinks": Figure(_share((measured.outdegrees == 0).sum(), n)),
        "core": Figure(_share(tie.counts[Region.CORE], n)),
        "IN": Figure(_share(tie.counts[Region.IN], n)),
        "OUT": Figure(_share(tie.counts[Region.OUT], n)),
        "largest weak component": Figure(_share(measured.weak.sizes.max(initial=0), n)),
        "connected pairs": _estimated(spread.connected),
        "average distance": _estimated(spread.average),
        "effective diameter": _estimated(spread.effective_diameter),
        "harmonic diameter": _estimated(spread.harmonic_diameter),
        "spid": _estimated(spread.spid),
        "average clustering": Figure(measured.clustering.average),
        "transitivity": Figure(measured.clustering.transitivity),
        "largest core number": Figure(float(measured.coreness.max(initial=0))),
    }
    return {name: each for name, each in found.items() if each is not None and np.isfinite(each.value)}


def _share(count: np.integer, n: int) -> float:
    return float(count) / n if n else 0.0


def _mean(numbers: IntArray) -> float:
    return float(numbers.mean()) if len(numbers) else 0.0


def _estimated(figure: Estimated) -> Figure:
    return Figure(figure.value, figure.error or None)


def _exponent(numbers: NDArray[np.integer]) -> Figure | None:
    law: PowerLaw | None = fitted(ValueCounts.of(numbers))
    return None if law is None else Figure(law.exponent, law.interval[1] - law.exponent)
