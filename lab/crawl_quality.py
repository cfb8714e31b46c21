"""The quality of the pages that a crawl finds early.

Najork & Wiener, "Breadth-First Crawling Yields High-Quality Pages" (WWW 2001). The quality of a page is its PageRank by
all links, its PageRank by links between hosts, or its HITS authority. The paper measures by days. Here, a crawl is
divided into slices with equal numbers of pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.analysis.graph import BoolArray, FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import pagerank
from hinterland.lab.hits import hits

TOLERANCE: Final = 1e-9
"""Bound of the L1 error of PageRank."""
_AUTHORITY_TOLERANCE: Final = 1e-6
METRICS: Final = ("pagerank", "remote", "authority")
"""PageRank of all links; PageRank of the links between hosts; HITS authority by the links between hosts."""


@dataclass(frozen=True, slots=True)
class SliceQuality:
    """The quality of a crawl by one score.

    averages       the mean score of each slice, where 1 is the mean of all fetched pages
    mean_slices    by N, the mean number, from 1, of the slices in which the N best fetched pages were fetched
    overlaps       by the fraction of the crawl that is done, and by N, how many of the N best pages of the final graph
                   are also among the N best of the graph known then, as a fraction of N
    """

    averages: Sequence[float]
    mean_slices: Mapping[int, float]
    overlaps: Mapping[float, Mapping[int, float]]


def scores_of(graph: Graph, hosts: IntArray, metric: str) -> FloatArray:
    """Return the scores of all pages by one of METRICS, shape (n,). Their mean is 1. Raises DidNotConverge."""
    if metric == "pagerank":
        scores = pagerank(graph, tolerance=TOLERANCE)
    elif metric == "remote":
        scores = pagerank(graph.without_links_within(hosts), tolerance=TOLERANCE)
    else:
        scores = hits(graph.without_links_within(hosts), tolerance=_AUTHORITY_TOLERANCE).authorities
    return scores * len(scores)


def crawl_quality(
    graph: Graph,
    hosts: IntArray,
    order: IntArray,
    metric: str,
    *,
    slices: int = 50,
    shares: Sequence[float] = (0.25, 0.5, 0.75),
) -> SliceQuality:
    """Measure a crawl that fetched the pages `order`, shape (ℓ,), of the n pages known at the end.

    Pages that were not fetched have no links. `shares` are fractions of the crawl. The graph known at such a point has
    the pages fetched by then and the pages to which they link.
    """
    scores = scores_of(graph, hosts, metric)
    return SliceQuality(
        slice_averages(scores, order, slices),
        mean_slice_of_best(scores, order, slices),
        {share: _overlap_with_part(graph, hosts, order, metric, scores, share) for share in shares},
    )


def slice_averages(scores: FloatArray, order: IntArray, slices: int) -> list[float]:
    """Return the mean score of each slice, divided by the mean of all fetched pages.

    There are at most as many slices as pages.
    """
    fetched = scores[order]
    mean = float(fetched.mean()) if len(fetched) else 0.0
    parts = np.array_split(fetched, min(slices, max(len(order), 1)))
    return [float(part.mean()) / mean if mean else 0.0 for part in parts]


def mean_slice_of_best(scores: FloatArray, order: IntArray, slices: int) -> dict[int, float]:
    """Return the mean number of the slices in which the N best pages were fetched, by N.

    N is 1, 2, 5, 10, ... up to the number of fetched pages.
    """
    count = len(order)
    slice_of = np.empty(count)
    for number, places in enumerate(np.array_split(np.arange(count), min(slices, max(count, 1))), 1):
        slice_of[places] = number
    best = np.argsort(-scores[order], kind="stable")
    sums = np.cumsum(slice_of[best])
    return {size: float(sums[size - 1] / size) for size in sizes(count)}


def sizes(count: int) -> list[int]:
    """Return 1, 2, 5, 10, ... below the count, and the count itself."""
    steps = (digit * 10**power for power in range(10) for digit in (1, 2, 5))
    return [*(size for size in steps if size < count), *([count] if count else [])]


def overlap_of_best(some: FloatArray, all_: FloatArray, size: int) -> float:
    """Return how much the `size` best pages by two scores overlap: the part that both have in common, from 0 to 1.

    Among equal scores, lower page numbers come first.
    """
    first, second = (np.argsort(-scores, kind="stable")[:size] for scores in (some, all_))
    return len(np.intersect1d(first, second)) / max(len(second), 1)


def _overlap_with_part(
    graph: Graph, hosts: IntArray, order: IntArray, metric: str, scores: FloatArray, share: float
) -> dict[int, float]:
    fetched = order[: max(1, round(share * len(order)))]
    is_known: BoolArray = np.zeros(graph.page_count, np.bool_)
    is_fetched = is_known.copy()
    is_fetched[fetched] = True
    is_from_fetched = is_fetched[graph.sources]
    sources, targets = graph.sources[is_from_fetched], graph.targets[is_from_fetched]
    is_known[fetched] = True
    is_known[targets] = True
    known = np.flatnonzero(is_known)
    places = np.full(graph.page_count, -1, np.int32)
    places[known] = np.arange(len(known), dtype=np.int32)
    part = Graph.from_links(places[sources], places[targets], len(known))
    found = np.zeros(graph.page_count)
    found[known] = scores_of(part, hosts[known], metric)
    found[~is_known] = -1.0
    return {size: overlap_of_best(found, scores, size) for size in sizes(len(order))}
