"""The policy `forward-learning`: a classifier of links that is rebuilt every 500 pages, as in ACHE.

It follows ACHE's online learning (FORWARD_CLASSIFIER_BINARY). The classifier is trained on balanced reservoirs of at
most 5,000 links to relevant pages and to others. Before the first classifier is built, links of relevant pages come
first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.features.topics.links.link_relevance import SeenLinks, best_of_links
from hinterland.crawler.features.topics.links.link_relevance_model import LinkRelevanceModel, probabilities
from hinterland.crawler.features.topics.policies.link_learner import LinkLearner
from hinterland.crawler.features.topics.policies.reading_policy import Reading
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray
from hinterland.storage.values.topics import RELEVANT

_LEARNING_LIMIT: Final = 500
_RESERVOIR: Final = 5_000
_UNKNOWN: Final = 1.0


class ForwardLearning(LinkLearner):
    """Orders links by a classifier. Unlike ACHE, it also learns from the elements around links and from host names."""

    def __init__(self, seed: int) -> None:
        """Start before the first visit. The same seed gives the same random draws."""
        super().__init__()
        self._rng = np.random.default_rng(seed & (2**32 - 1))
        self._model: LinkRelevanceModel | None = None
        self._due = _LEARNING_LIMIT

    def read(self, reading: Reading) -> None:
        """Learn from a visit, and predict the relevance of the page's links."""
        self._seen.add(reading.page, reading.host, reading.relevance)
        links = self._keep(reading)
        self._remembered.met(links.targets, self._predicted(links))

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Rebuild the classifier if that is due, and return a function that returns the urgencies of `waiting`."""
        if self._seen.visits >= self._due:
            self._due += _LEARNING_LIMIT
            self._model = self._built() or self._model
        links = SeenLinks.of(self._rows)
        predicted = self._predicted(links)

        def urgencies() -> FloatArray:
            found = best_of_links(links.targets, predicted, waiting, unknown=_UNKNOWN)
            return self._remembered.refreshed(waiting, found)

        return urgencies

    def _predicted(self, links: SeenLinks) -> FloatArray:
        """Return the predicted relevance of links, shape (k,)."""
        if self._model is None:
            return (self._seen.relevance(links.sources) >= RELEVANT).astype(np.float64)
        return probabilities(self._model.log_odds(links.features, np.zeros((len(links), 0))))

    def _built(self) -> LinkRelevanceModel | None:
        """Return a new classifier; None if all links so far have led to pages of one class."""
        links = SeenLinks.of(self._rows)
        rows = np.flatnonzero(self._seen.is_visited(links.targets))
        relevant = self._seen.relevance(links.targets[rows]) >= RELEVANT
        good = self._rng.permutation(rows[relevant])[:_RESERVOIR]
        bad = self._rng.permutation(rows[~relevant])[: len(good)]
        if not len(good) or not len(bad):
            return None
        chosen = np.zeros(len(links), np.bool_)
        chosen[good] = chosen[bad] = True
        examples = links.those(chosen)
        outcomes = (self._seen.relevance(examples.targets) >= RELEVANT).astype(np.float64)
        nothing = np.zeros((len(examples), 0))
        untrained = LinkRelevanceModel.untrained(np.zeros(0), 0.0)
        return untrained.trained(examples.features, nothing, outcomes, np.ones(len(examples)))
