"""`return-flow`: pages that probably lead back into the local domain come first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.outside_model import predicted_returns
from hinterland.analysis.local_inlinks import local_inlink_counts
from hinterland.crawler.features.topics.links.sample_urgencies import urgencies_with_sample
from hinterland.crawler.frontier.policies.passed_on import PassedOn
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray

EXPLORING: Final = 0.1
"""The share of pages drawn at random. They show the model how pages with a low rating link. Without them, it would
assume that all waiting pages lead back as often as the pages it chose, and would overestimate the return."""

_LEAST_RETURN: Final = 0.01
"""Added to h/h̄. Where h is 0, the number of links from local pages then decides the order."""


class ReturnFlow(PassedOn):
    """Chooses nine of ten pages by the value (0.01 + h/h̄) √(1 + c), and the tenth at random.

    h is the probability that a surfer at the page returns to the local domain before the next random jump, as predicted
    by the outside model, and h̄ its mean over the waiting pages. c is the number of links from local pages. At random,
    all pages are equally likely; an estimator recognises the pages drawn by their permanent random numbers
    (`analysis.sampling`).

    The PageRank x of a page does not count, although the rank that returns from it is x h. A crawl knows x of an
    outside page only within a factor of two to ten, and ordering by x visits hubs, which seldom lead back
    (docs/return-flow.md).
    """

    def __init__(self, seed: int) -> None:
        """Begin without urgencies; the seed is not used."""
        super().__init__()

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function that predicts how likely each waiting page is to lead back, and returns urgencies."""

        def urgencies() -> FloatArray:
            probabilities = predicted_returns(crawled)[waiting].astype(np.float64)
            values = return_values(probabilities, local_inlink_counts(crawled)[waiting])
            return urgencies_with_sample(values, waiting, EXPLORING)

        return self.remembering(waiting, urgencies)


def return_values(probabilities: FloatArray, local_inlinks: IntArray) -> FloatArray:
    """Return (0.01 + h/h̄) √(1 + c) of each waiting page, shape (k,).

    Division by h̄ makes values of different refreshes comparable. While no page is expected to lead back, h makes no
    difference.
    """
    mean = float(probabilities.mean()) if len(probabilities) else 0.0
    relative = probabilities / mean if mean else probabilities
    values: FloatArray = (_LEAST_RETURN + relative) * np.sqrt(1 + local_inlinks)
    return values
