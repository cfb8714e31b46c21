"""Adds to an estimate the rank that comes from links which the crawl lacks but another source names.

Let p be the estimated ranks of the local pages, scaled to sum to 1. Each such link is assumed to come from a page that
only random jumps reach. This page is given the lowest rank of all local pages, and a typical number of links: the
harmonic mean over the crawled outside pages that link to the domain. So the local pages receive a rank x through these
links. When it is passed on along the links P between local pages, it becomes Δ = x + α Pᵀ Δ. The new estimate is p + w
Δ, scaled to sum to 1.

The weight w makes up for links that the source lacks as well. It is 1 / c, where c is the part of the crawl's links
into the domain that the source also names; w is smaller if the source names few links. Two limits reduce the harm of a
wrong source: w Δ is at most the part MOST_ADDED of the new estimate, and the estimate moves by no more than its
predicted error. So a source adds nothing where the crawl knows nearly everything.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import DAMPING

MOST_ADDED: Final = 0.25
"""The largest share of an estimate that a source may add."""
_MOST_WEIGHT: Final = 20.0
_FEW: Final = 10
_STEPS: Final = 120


class UnseenInlinks(NamedTuple):
    """The links that a source names and the crawl lacks.

    `targets`, shape (k,), holds for each link the index of its target among the local pages. `outlinks`, shape (k,),
    holds for each link the probable number of links on its source page. `coverage` is c, above 0 and at most 1.
    """

    targets: IntArray
    outlinks: FloatArray
    coverage: float

    @property
    def weight(self) -> float:
        """The weight w before the two limits are applied."""
        count = len(self.targets)
        return min(1 / self.coverage, _MOST_WEIGHT) * count / (count + _FEW)


class Corrected(NamedTuple):
    """The corrected estimate, shape (n,), sum 1, and the L1 distance by which it moved."""

    ranks: FloatArray
    moved: float


def with_unseen_inlinks(
    ranks: FloatArray, inside: Graph, outdegrees: IntArray, unseen: UnseenInlinks, most_moved: float
) -> Corrected:
    """Return the estimate, increased by the rank that comes from the links of the source.

    `ranks` are the ranks of the n local pages, sum 1. `inside` is the graph of the links between these pages, and
    `outdegrees` are the numbers of all their links. The estimate moves by at most `most_moved` (L1).
    """
    if not len(unseen.targets):
        return Corrected(ranks, 0.0)
    n = len(ranks)
    arriving: FloatArray = np.zeros(n)
    arriving += np.bincount(unseen.targets, DAMPING * float(ranks.min()) / unseen.outlinks, n)
    passing = DAMPING / np.maximum(outdegrees, 1)
    added: FloatArray = arriving.copy()
    for _ in range(_STEPS):
        added = arriving + np.bincount(inside.targets, (passing * added)[inside.sources], n)
    added *= unseen.weight
    total = float(added.sum())
    added *= min(1.0, MOST_ADDED / (1 - MOST_ADDED) / total)
    change = (ranks + added) / (1 + float(added.sum())) - ranks
    moved = float(np.abs(change).sum())
    share = min(1.0, most_moved / moved) if moved else 1.0
    return Corrected(ranks + share * change, share * moved)
