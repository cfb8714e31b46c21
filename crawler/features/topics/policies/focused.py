"""The policy `focused`: probably relevant pages come first (after Chakrabarti, van den Berg & Dom, WWW8 1999)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.features.topics.links.exploration_sample import (
    Draw,
    ExplorationSample,
    in_this_order,
    order_with_sample,
)
from hinterland.crawler.features.topics.links.joined_relevance import NOISY_OR, Join
from hinterland.crawler.features.topics.links.link_relevance import (
    UNTRAINED,
    SeenLinks,
    link_numbers,
    relevance_of_pages,
    trained,
)
from hinterland.crawler.features.topics.links.link_relevance_model import LinkRelevanceModel, probabilities
from hinterland.crawler.features.topics.links.relative_relevance import RelativeRelevance
from hinterland.crawler.features.topics.links.seen_relevance import SeenRelevance
from hinterland.crawler.features.topics.policies.link_learner import LinkLearner
from hinterland.crawler.features.topics.policies.reading_policy import Reading
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray

SAMPLED: Final = 0.03
"""The share of visits to pages drawn at random from all waiting pages, so that pages that the learner neglects are
tried, too.
"""
_UNKNOWN_RELEVANCE: Final = 0.5
"""The predicted relevance of a page to which no kept link leads."""


class Focused(LinkLearner):
    """Predicts the relevance of links by a model that learns from the targets of earlier links.

    The model (`link_relevance`) learns from the relevance of the targets, relative to all pages seen
    (`relative_relevance`). The urgency of a page is the joint prediction of its first links. At a refresh the expected
    relevance of each host is drawn from its posterior, so that hosts about which little is known get a chance. Takes 26
    bytes per known page, and about 90 bytes per kept link; up to four links to each page are kept.
    """

    join: ClassVar[Join] = NOISY_OR
    """How the predictions of links to a page are joined; for alternatives see benchmarks/focused_variants.py."""

    def __init__(self, seed: int) -> None:
        """Start before the first visit. The same seed gives the same random draws."""
        super().__init__()
        self._seed = seed & (2**32 - 1)
        self._model = UNTRAINED
        self._relative = RelativeRelevance()
        self._sample = ExplorationSample(SAMPLED)
        self._draws: list[Draw] = []

    def read(self, reading: Reading) -> None:
        """Learn from a visit, and predict the relevance of the page's links."""
        seen = self._seen
        worth = self._relative.of(reading.relevance)
        seen.add(reading.page, reading.host, worth, self._rows.sources_of)
        self._draws += self._sample.visited(reading.page, reading.relevance, worth)
        links = self._keep(reading)
        if not len(links):
            return
        numbers = link_numbers(seen, links.sources, links.hosts, links.features, seen.host_shares(links.hosts))
        self._remembered.met(links.targets, probabilities(self._model.log_odds(links.features, numbers)))

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function for another thread that learns a model and returns the urgencies of `waiting`."""
        seen, links = self._seen.copy(), SeenLinks.of(self._rows)

        def urgencies() -> FloatArray:
            model = trained(seen, links)
            predicted = self._predicted(model, seen, links, waiting)
            self._model = model
            order = order_with_sample(predicted, waiting, SAMPLED)
            self._sample.refreshed(waiting, predicted, order, seen.visits, batch)
            return self._remembered.refreshed(waiting, in_this_order(order, predicted))

        return urgencies

    def _predicted(
        self, model: LinkRelevanceModel, seen: SeenRelevance, links: SeenLinks, waiting: IntArray
    ) -> FloatArray:
        """Return the predicted relevance of the waiting pages, shape (k,)."""
        shares = seen.drawn_host_shares(np.random.default_rng([self._seed, seen.visits]))
        return relevance_of_pages(model, seen, links, shares, waiting, unknown=_UNKNOWN_RELEVANCE, join=self.join)

    def draws(self) -> list[Draw]:
        """Return the visited pages that have joined the sample since the last call."""
        draws, self._draws = self._draws, []
        return draws
