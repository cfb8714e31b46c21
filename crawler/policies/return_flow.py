"""`return-flow`: pages first that receive much rank and probably send it back into the local domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from analysis.crawled_graph import CrawledGraph
from analysis.local_inlinks import local_inlink_counts
from analysis.lots import lot_numbers
from analysis.outside_model import outside_model
from crawler.policies.passed_on import PassedOn
from crawler.policies.policy import ORDER_TOLERANCE, FloatArray, IntArray

_EXPLORING: Final = 0.2
"""The share of pages drawn by lot, from which the model learns how the pages link that it thinks little of. Without
any, it takes all frontier pages to lead back as often as those it has chosen, and estimates too much return."""


class ReturnFlow(PassedOn):
    """Four of five pages by x (1 + h/h̄) (1 + c): x the rank that the outside model expects the page to have, h the
    probability that a surfer there comes back into the local domain before he jumps, h̄ its mean over the rank of what
    waits, c the local pages that link to it. The fifth by lot, each page as likely as any other; the model knows
    these by their numbers (`analysis.lots`).

    The urgency of the page that comes j-th is the j-th largest x (1 + h/h̄) (1 + c), whatever made it come j-th.
    """

    uses_links = False
    needs_refresh = True

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._ranks: FloatArray | None = None

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        def urgencies() -> FloatArray:
            model = outside_model(crawled, start=self._ranks, tolerance=ORDER_TOLERANCE)
            self._ranks = model.ranks
            promise = _promise(
                model.ranks[waiting], model.return_probabilities[waiting], local_inlink_counts(crawled)[waiting]
            )
            lots = -lot_numbers(waiting)
            turns = np.minimum((_places(promise) + 1) / (1 - _EXPLORING), (_places(lots) + 0.5) / _EXPLORING)
            order = np.argsort(turns, kind="stable")
            result = np.empty(len(waiting))
            result[order] = -np.sort(-promise)
            return result

        return self.remembering(waiting, urgencies)


def _promise(ranks: FloatArray, probabilities: FloatArray, local_inlinks: IntArray) -> FloatArray:
    """As a multiple of h̄, so that pages which wait since an earlier refresh are comparable with those chosen later.

    h̄ is added because predictions rest on few pages: one that is expected to lead nowhere may be the best of all.
    As long as none is expected to lead back, h makes no difference.
    """
    total = ranks.sum()
    mean = float(ranks @ probabilities) / total if total else 0.0
    relative = probabilities / mean if mean else np.zeros(len(ranks))
    promise: FloatArray = ranks * (1 + relative) * (1 + local_inlinks)
    return promise


def _places(scores: FloatArray) -> IntArray:
    """The place of each score in descending order, from 0; of equals, the first comes first."""
    places = np.empty(len(scores), np.int32)
    places[np.argsort(-scores, kind="stable")] = np.arange(len(scores), dtype=np.int32)
    return places
