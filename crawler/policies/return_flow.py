"""`return-flow`: pages first that receive much rank and probably send it back into the local domain."""

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
"""The share of pages drawn at random, from which the model learns how the pages link that it thinks little of. Without
any, it takes all frontier pages to lead back as often as those it has chosen, and estimates too much return."""

_LEAST_RETURN: Final = 0.01
"""What is added to h/h̄, so that pages which are expected to lead nowhere go by the rank they receive."""


TOLERANCE: Final = 1e-3
"""Bound of the L1 error of the ranks, of which a hundredth is left in fact. Finer ones would change the order of pages
that promise about the same; what the model says of any page is rougher than that by far."""


class ReturnFlow(PassedOn):
    """Nine of ten pages by x h/h̄: x the rank that the outside model expects the page to have, h the probability that a
    surfer there comes back into the local domain before he jumps, h̄ its mean over the rank of what waits. The tenth at
    random, each page as likely as any other; the model knows these by their numbers (`analysis.sampling`).
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._ranks: FloatArray | None = None

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        def urgencies() -> FloatArray:
            model = outside_model(crawled, start=self._ranks, tolerance=TOLERANCE, of_local_shares=False)
            self._ranks = model.ranks
            probabilities = model.return_probabilities[waiting].astype(np.float64)
            promise = _promise(model.ranks[waiting], probabilities, local_inlink_counts(crawled)[waiting])
            return with_sample(promise, waiting, _EXPLORING)

        return self.remembering(waiting, urgencies)


def _promise(ranks: FloatArray, probabilities: FloatArray, local_inlinks: IntArray) -> FloatArray:
    """As a multiple of h̄, so that pages which wait since an earlier refresh are comparable with those chosen later.

    As long as none is expected to lead back, h makes no difference.
    """
    total = ranks.sum()
    mean = float(ranks @ probabilities) / total if total else 0.0
    relative = probabilities / mean if mean else np.zeros(len(ranks))
    promise: FloatArray = ranks * (_LEAST_RETURN + relative) * np.sqrt(1 + local_inlinks)
    return promise


def with_sample(promise: FloatArray, pages: IntArray, share: float) -> FloatArray:
    """The urgencies under which such a share of the pages comes at random and the others by their promise, shape (k,).

    That of the page which comes j-th is the j-th largest promise, whatever made it come j-th. share: below 1; 0 for no
    sample.
    """
    return urgencies_with_sample(promise, pages, share)
