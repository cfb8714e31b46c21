"""`return-flow`: pages first that receive much rank and probably return it to the local domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.outside_model import outside_model
from hinterland.analysis.local_inlinks import local_inlink_counts
from hinterland.crawler.features.topics.links.sample_urgencies import urgencies_with_sample
from hinterland.crawler.frontier.policies.passed_on import PassedOn
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray

_EXPLORING: Final = 0.1
"""The share of pages drawn at random. From these the model learns how pages link that it rates low. Without them, it
would assume that all waiting pages lead back as often as the pages it has chosen, and would overestimate the return."""

_LEAST_RETURN: Final = 0.01
"""Added to h/h̄, so that pages from which no return is expected are ordered by the rank they receive."""


TOLERANCE: Final = 1e-3
"""Bound of the L1 error of the ranks; the actual error is about a hundredth of it. Smaller errors would only reorder
pages of nearly equal value, and the model's prediction for a page is far less exact anyway."""


class ReturnFlow(PassedOn):
    """Chooses nine of ten pages by the value x (0.01 + h/h̄) √(1 + c), and the tenth at random.

    x is the page's rank as estimated by the outside model. h is the probability that a surfer at the page returns to
    the local domain before the next random jump, and h̄ its mean over the waiting pages, weighted by x. c is the number
    of links from local pages. The random pages are equally likely; the model recognises them by their numbers
    (`analysis.sampling`).
    """

    def __init__(self, seed: int) -> None:
        """Begin without ranks; the seed is not used."""
        super().__init__()
        self._ranks: FloatArray | None = None

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function that fits the outside model and computes the urgencies."""

        def urgencies() -> FloatArray:
            model = outside_model(crawled, start=self._ranks, tolerance=TOLERANCE, of_local_shares=False)
            self._ranks = model.ranks
            probabilities = model.return_probabilities[waiting].astype(np.float64)
            values = _values(model.ranks[waiting], probabilities, local_inlink_counts(crawled)[waiting])
            return with_sample(values, waiting, _EXPLORING)

        return self.remembering(waiting, urgencies)


def _values(ranks: FloatArray, probabilities: FloatArray, local_inlinks: IntArray) -> FloatArray:
    """Return the value of each waiting page, shape (k,); see ReturnFlow.

    Dividing by h̄ makes the values of pages that wait since an earlier refresh comparable with later ones. While no
    page is expected to lead back, h makes no difference.
    """
    total = ranks.sum()
    mean = float(ranks @ probabilities) / total if total else 0.0
    relative = probabilities / mean if mean else np.zeros(len(ranks))
    values: FloatArray = ranks * (_LEAST_RETURN + relative) * np.sqrt(1 + local_inlinks)
    return values


def with_sample(values: FloatArray, pages: IntArray, share: float) -> FloatArray:
    """Return urgencies, shape (k,), that order a random share of the pages by chance and the rest by value.

    The page in place j of this order gets the j-th largest value as its urgency. `share` is below 1; 0 means no sample.
    """
    return urgencies_with_sample(values, pages, share)
