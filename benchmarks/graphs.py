"""Synthetic crawls: power-law graphs of any size, seeded."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import Graph
from hinterland.analysis.link_log import LinkLog

_LINKS_PER_PAGE = 10.0
_LINK_EXPONENT = 2.1
"""The exponent of the in-degree, as in Kumar et al. (2000)."""
_NEAR = 0.7
"""Share of the links that lead to pages found at about the same time, as those of one site are."""


def synthetic_log(crawled: int, known: int, *, near: float = _NEAR, seed: int = 1) -> LinkLog:
    """Return the log of a crawl of `crawled` pages, with `known` pages known at the end.

    Pages are crawled in the order of their numbers, except for one in five, which is crawled later. Out-degrees are
    geometric with a mean of ten. A link is near, up to a hundred numbers around the place of its page among the known
    ones, or goes to a page drawn by a power law whose rank is independent of its number.
    """
    rng = np.random.default_rng(seed)
    step = known / crawled
    order = (np.arange(crawled) * step).astype(np.int32)
    late = rng.random(crawled) < 0.2
    order[late] = rng.permutation(order[late])
    degrees = rng.geometric(1 / (1 + _LINKS_PER_PAGE), crawled) - 1
    sources = np.repeat(order, degrees)
    popular = rng.permutation(known).astype(np.int32)
    exponent = (_LINK_EXPONENT - 1) / (_LINK_EXPONENT - 2)
    ranks = (known * rng.random(len(sources)) ** exponent).astype(np.int32)
    is_near = rng.random(len(sources)) < near
    targets = np.where(is_near, sources + rng.integers(-100, 101, len(sources)), popular[ranks])
    graph = Graph.from_links(sources, np.clip(targets, 0, known - 1), known)
    log = LinkLog()
    for page in order.tolist():
        log.append(page, graph.successors(page))
    return log


def snapshot_of(log: LinkLog, known: int, local_share: float = 0.3, hosts: int = 50_000) -> CrawledGraph:
    """Return a snapshot of the log.

    The pages with the lowest numbers are local, like a site that is crawled first; hosts are runs of numbers.
    """
    numbers = np.arange(known, dtype=np.int32)
    return log.snapshot(numbers < local_share * known, (numbers // max(known // hosts, 1)).astype(np.int32))
