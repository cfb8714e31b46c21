"""The PageRank of all pages after one link is added, in time that depends on how far the effect of the link reaches."""

from __future__ import annotations

from typing import Final

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import FloatArray, Graph, IntArray, Rows
from hinterland.analysis.pagerank import DAMPING

PRECISION: Final = 1e-3


def ranks_with_link(
    graph: Graph, source: int, target: int, ranks: FloatArray, *, precision: float = PRECISION
) -> FloatArray:
    """Return the PageRank, shape (n,), of a graph after one link is added; the graph must not have this link yet.

    `ranks` is the PageRank without the link, for a uniform preference and the damping DAMPING. Apart from the error of
    `ranks` and the scaling to sum 1, the relative error of each rank is at most `precision`.

    PageRank is y = α Pᵀy + (1 - α) / n scaled to sum to 1 (see `pagerank`). With P' for the graph with the link, the
    change is Σ (α P'ᵀ)ᵏ r, where r = α (P' - P)ᵀ y is zero except at the successors of `source`. The sum is computed by
    pushing r along the links until no page has more than ε of it (Andersen, Chung & Lang, "Local Graph Partitioning
    using PageRank Vectors", FOCS 2006, 2). The rest would change page p by at most ε n y'(p) / (1 - α).
    """
    n, dangling = graph.page_count, graph.outdegrees == 0
    size = (1 - DAMPING) / (DAMPING * float(ranks[dangling].sum()) + 1 - DAMPING)  # |y|
    successors = graph.successors(source)
    given, degree = DAMPING * size * float(ranks[source]), len(successors)
    residual, change = np.zeros(n), np.zeros(n)
    if degree:
        residual[successors] = given / (degree + 1) - given / degree
    residual[target] = given / (degree + 1)
    least = precision * (1 - DAMPING) / n
    _push(graph.rows, source, target, residual, change, np.empty(n + 1, np.int32), least)
    found = np.maximum(size * ranks + change, 0.0)
    scaled: FloatArray = found / found.sum()
    return scaled


@compiled
def _push(
    links: Rows,
    source: int,
    target: int,
    residual: FloatArray,
    change: FloatArray,
    queue: IntArray,
    least: float,
) -> None:
    """Move residuals of more than `least` into `change`, and pass them on to successors.

    The link (source, target) is added to `links`. `queue` has room for one number more than there are pages.
    """
    offsets, targets = links
    n = len(residual)
    is_queued = np.zeros(n, np.bool_)
    first = last = 0
    for page in range(n):
        if abs(residual[page]) > least:
            is_queued[page] = True
            queue[last] = page
            last += 1
    while first != last:
        page = queue[first]
        first = first + 1 if first < n else 0
        is_queued[page] = False
        moved = residual[page]
        residual[page] = 0.0
        change[page] += moved
        begin, end = offsets[page], offsets[page + 1]
        degree = end - begin + (1 if page == source else 0)
        if degree == 0:
            continue
        share = DAMPING * moved / degree
        for place in range(begin, end + (1 if page == source else 0)):
            successor = targets[place] if place < end else target
            residual[successor] += share
            if abs(residual[successor]) > least and not is_queued[successor]:
                is_queued[successor] = True
                queue[last] = successor
                last = last + 1 if last < n else 0
