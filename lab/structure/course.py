"""What the order of a crawl shows: how it discovered the web, and how the figures of its graph changed as it grew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.lab.structure.distances import ROUGH
from hinterland.lab.structure.figures import Figure, figures, measurements

SHARES: Final = (0.1, 0.25, 0.5, 0.75)
"""The shares of the crawl that are measured in addition to the whole crawl."""

_POINTS: Final = 50
_SETTLED: Final = 0.02


@dataclass(frozen=True, slots=True)
class DiscoveryPoint:
    """The state after `visited` pages.

    `known` counts the pages known by then. Two shares are about the links on the pages visited since the previous
    point: `known_before` is the share of links to pages that were already known, and `visited_before` to pages that
    were already visited. `rank` is the visited pages' share of the PageRank of all crawled pages.
    """

    visited: int
    known: int
    known_before: float
    visited_before: float
    rank: float


def discovery(crawled: CrawledGraph, order: IntArray, ranks: FloatArray) -> list[DiscoveryPoint]:
    """Return the states of a crawl at some points of its course.

    `order` has the crawled pages in the order of their visits. `ranks` is the PageRank of each page of
    `crawled.crawled`. Both have shape (ℓ,).
    """
    links, size = crawled.links, len(order)
    if not size:
        return []
    never = np.int32(size)
    visited_at = np.full(links.page_count, never, np.int32)
    visited_at[order] = np.arange(size, dtype=np.int32)
    moments = visited_at[links.sources]
    linked_at = np.full(links.page_count, never, np.int32)
    np.minimum.at(linked_at, links.targets, moments)
    found_at = np.minimum(linked_at, visited_at)
    by_visit = np.cumsum(ranks[np.searchsorted(crawled.crawled, order)])
    ends = np.unique(np.round(np.linspace(0, size, min(_POINTS, size) + 1)[1:]).astype(np.int64))
    slices = np.searchsorted(ends, moments, side="right")
    count = np.maximum(np.bincount(slices, minlength=len(ends)), 1)
    known_before = np.bincount(slices, found_at[links.targets] < moments, len(ends)) / count
    visited_before = np.bincount(slices, visited_at[links.targets] < moments, len(ends)) / count
    known = np.searchsorted(np.sort(found_at), ends)
    columns = known, known_before, visited_before, by_visit[ends - 1]
    return [DiscoveryPoint(*row) for row in zip(*(column.tolist() for column in (ends, *columns)), strict=True)]


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of the graph after the first `share` of the visits."""

    share: float
    figures: Mapping[str, Figure]


def parts(crawled: CrawledGraph, order: IntArray, rng: np.random.Generator, told: Callable[[str], None]) -> list[Part]:
    """Measure the graphs that the crawl would have found if it had ended earlier.

    Shares of fewer than two pages are left out.
    """
    found = []
    for share in SHARES:
        pages = np.sort(order[: round(share * len(order))])
        if len(pages) > 1:
            told(f"the first {100 * share:.0f} % of the crawl")
            outdegrees = crawled.links.outdegrees[pages]
            measured = measurements(crawled.links.among(pages), outdegrees, rng, lambda _: None, ROUGH)
            found.append(Part(share, figures(measured)))
    return found


@dataclass(frozen=True, slots=True)
class Drift:
    """How one figure changed during the crawl.

    `values` are its values when certain shares of the crawl were done; the last is that of the whole crawl. `change` is
    the relative change from the second last value to the last. `is_settled` tells whether this change is below 2 %, or
    within the errors of both values.
    """

    name: str
    shares: Sequence[float]
    values: Sequence[Figure]
    change: float
    is_settled: bool


def drifts(found: Sequence[Part]) -> list[Drift]:
    """Return how every figure changed, if the whole crawl and at least one earlier part have the figure.

    `found` ends with the whole crawl.
    """
    result = []
    for name, last in found[-1].figures.items() if found else ():
        having = [part for part in found if name in part.figures]
        if len(having) < 2:
            continue
        values = [part.figures[name] for part in having]
        before = values[-2]
        difference = last.value - before.value
        change = difference / abs(before.value) if before.value else (0.0 if not difference else float("inf"))
        errors = np.hypot(last.error or 0.0, before.error or 0.0)
        is_settled = abs(change) <= _SETTLED or abs(difference) <= errors
        result.append(Drift(name, [part.share for part in having], values, change, bool(is_settled)))
    return result
