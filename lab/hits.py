"""HITS: hubs and authorities, with the weights of Bharat & Henzinger.

Kleinberg, "Authoritative Sources in a Hyperlinked Environment" (J. ACM 1999); Bharat & Henzinger, "Improved Algorithms
for Topic Distillation in a Hyperlinked Environment" (SIGIR 1998).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import DidNotConverge


@dataclass(frozen=True, eq=False, slots=True)
class HubScores:
    """The scores of every page, shape (n,), float64, not negative.

    Each array sums to 1, or is 0 throughout if all links have weight 0. `iterations` is the number of iterations that
    were needed.
    """

    hubs: FloatArray
    authorities: FloatArray
    iterations: int


def hits(
    graph: Graph,
    *,
    hosts: IntArray | None = None,
    relevance: FloatArray | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 10_000,
) -> HubScores:
    """Compute the hub and authority scores of every page.

    Iterates x_p = Σ_{q→p} a(q,p) r_q y_q and y_p = Σ_{p→q} h(p,q) r_q x_q, each scaled to sum to 1; x are the
    authorities, y the hubs. Without `hosts` a = h = 1. With them, shape (n,), a(q,p) = 1/k where k pages of the host of
    q link to p, and h(p,q) = 1/l where p links to l pages of the host of q, so that no host has more than one vote. r
    is `relevance`, shape (n,), not negative; 1 if None.

    All hubs start with the same score, so no score is ever negative. If there are several solutions (unconnected
    components of equal weight), the start decides which one is found. The iteration ends once the authorities are
    within `tolerance` in L1 of the limit that they would reach if their changes went on shrinking at the rate of the
    last step. Raises DidNotConverge after max_iterations, and ValueError for an invalid relevance.
    """
    n = graph.page_count
    weights = np.ones(n) if relevance is None else np.asarray(relevance, np.float64)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (n and weights.min() < 0):
        raise ValueError(
            f"relevance has shape {weights.shape} for {n} pages, or a value that is negative or not finite"
        )
    sources, targets = graph.sources, graph.targets
    into, out = weights[sources], weights[targets]
    if hosts is not None:
        into = into / _alike(targets, hosts[sources])
        out = out / _alike(sources, hosts[targets])
    hubs, authorities = np.full(n, 1 / max(n, 1)), np.zeros(n)
    last_change = np.inf
    for iteration in range(1, max_iterations + 1):
        before = authorities
        authorities = _summed(targets, into * hubs[sources], n)
        hubs = _summed(sources, out * authorities[targets], n)
        change = float(np.abs(authorities - before).sum())
        ratio = change / last_change  # below 1 once it converges
        if change == 0 or (0 < ratio < 1 and change * ratio / (1 - ratio) <= tolerance):
            return HubScores(hubs, authorities, iteration)
        last_change = change
    raise DidNotConverge(max_iterations, last_change, tolerance)


def base_set(graph: Graph, roots: ArrayLike, *, max_inlinks: int) -> IntArray:
    """Return the roots, the pages they link to, and up to `max_inlinks` pages that link to each; ascending.

    If more pages link to a root, some of them are chosen, at equal distances in the order of page numbers.
    """
    chosen = np.unique(np.asarray(roots, np.int32))
    found = [chosen]
    for root in chosen.tolist():
        inlinks = graph.transposed.successors(root)
        if len(inlinks) > max_inlinks:
            inlinks = inlinks[np.arange(max_inlinks) * len(inlinks) // max(max_inlinks, 1)]
        found += [graph.successors(root), inlinks]
    return np.unique(np.concatenate(found)).astype(np.int32)


def _alike(pages: IntArray, hosts: IntArray) -> FloatArray:
    """Return, for each link, how many links have the same page and host; `pages` and `hosts` are given per link."""
    keys = pages.astype(np.int64) * (int(hosts.max(initial=0)) + 1) + hosts
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    alike: FloatArray = counts[places.reshape(-1)].astype(np.float64)
    return alike


def _summed(places: IntArray, values: FloatArray, count: int) -> FloatArray:
    """Return the sum of the values at each place, shape (count,), scaled to a total of 1 unless all are 0."""
    sums: FloatArray = np.bincount(places, values, count).astype(np.float64)
    total = float(sums.sum())
    return sums / total if total > 0 else sums
