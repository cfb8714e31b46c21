"""The ranks that give faults their weight. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.analysis.pagerank import DAMPING
from hinterland.library.audit.faults import Causes, Faults
from hinterland.library.audit.kinds import Loss


@dataclass(frozen=True, slots=True, eq=False)
class SeenRanks:
    """The rank of every page of a store, shape (n,), sum 1; 0 for pages without a rank.

    With a probability of 0.9, the true rank of a page lies between its rank divided by its spread and its rank times
    its spread. `spreads` has shape (n,), and is None if unknown.
    """

    ranks: FloatArray
    spreads: FloatArray | None = None

    def least(self) -> FloatArray:
        """Return the lower bound of each rank."""
        return self.ranks if self.spreads is None else self.ranks / self.spreads

    def most(self) -> FloatArray:
        """Return the upper bound of each rank."""
        return self.ranks if self.spreads is None else self.ranks * self.spreads


@dataclass(frozen=True, slots=True)
class Weight:
    """How much of a site's rank faults concern, from 0 to 1.

    `site` is by the links of the site alone, and `web` by the estimated ranks. `web` and its bounds `web_least` and
    `web_most` are None if the store has no estimate. The bounds are also None if the error of the estimate is unknown.
    They assume that all ranks err in the same direction, so the truth is rarely near them.
    """

    site: float
    web: float | None = None
    web_least: float | None = None
    web_most: float | None = None


NO_WEIGHT = Weight(0.0)


def fault_weights(faults: Faults, ranks: FloatArray, outdegrees: IntArray, loss: Loss) -> FloatArray:
    """Return the rank that each of k faults concerns, shape (k,).

    With Loss.FLOW, it is α Σ rank / outdegree over the pages that cause the fault. This is the share of a random
    surfer's steps that lead to the fault. Otherwise, it is the rank of the page at fault or, if a URL outside the store
    is at fault, the sum of the ranks of the pages that cause the fault. `outdegrees` are the numbers of distinct links
    of each page, shape (n,).
    """
    if loss is Loss.FLOW and faults.causes is not None:
        return DAMPING * _sums(faults.causes, ranks / np.maximum(outdegrees, 1))
    if faults.urls and faults.causes is not None:
        return _sums(faults.causes, ranks)
    return ranks[faults.pages] if len(faults) else np.empty(0)


def _sums(causes: Causes, values: FloatArray) -> FloatArray:
    totals = np.concatenate([[0.0], np.cumsum(values[causes.sources])])
    found: FloatArray = totals[causes.offsets[1:]] - totals[causes.offsets[:-1]]
    return found


def weight_of(
    faults: Faults, loss: Loss, outdegrees: IntArray, site: SeenRanks, web: SeenRanks | None
) -> tuple[Weight, FloatArray]:
    """Return the weight of k faults together, and the rank that each concerns by the site's links, shape (k,)."""

    def total(ranks: FloatArray) -> float:
        if loss is Loss.FLOW and faults.causes is not None:
            return float(fault_weights(faults, ranks, outdegrees, loss).sum())
        concerned = faults.causes.sources if faults.urls and faults.causes is not None else faults.pages
        return float(ranks[np.unique(concerned)].sum())

    each = fault_weights(faults, site.ranks, outdegrees, loss)
    if not len(faults):
        return NO_WEIGHT if web is None else Weight(0.0, 0.0), each
    if web is None:
        return Weight(total(site.ranks)), each
    if web.spreads is None:
        return Weight(total(site.ranks), total(web.ranks)), each
    return Weight(total(site.ranks), total(web.ranks), total(web.least()), min(1.0, total(web.most()))), each
