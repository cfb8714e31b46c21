"""`forward-learning`: a classifier of links that is built anew every 500 pages, as in ACHE.

After ACHE's online learning (FORWARD_CLASSIFIER_BINARY): from balanced reservoirs of at most 5,000 links to relevant
and to other pages; until the first is built, links of relevant pages come first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from analysis.crawled_graph import CrawledGraph
from analysis.link_promises import MetLinks
from analysis.link_rows import LinkRows
from analysis.promise_model import PromiseModel, probabilities
from analysis.seen_relevance import RELEVANT, SeenRelevance
from crawler.policies.policy import FloatArray, IntArray, OffsetArray
from crawler.policies.reading_policy import Reading
from crawler.policies.remembered_promises import RememberedPromises

_LEARNING_LIMIT: Final = 500
_RESERVOIR: Final = 5_000
_UNKNOWN: Final = 1.0


class ForwardLearning:
    """Here it may learn from the elements around links and from names of hosts, too, which ACHE does not look at."""

    uses_links = False
    needs_refresh = True

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed & (2**32 - 1))
        self._rows = LinkRows()
        self._seen = SeenRelevance()
        self._model: PromiseModel | None = None
        self._due = _LEARNING_LIMIT
        self._promises = RememberedPromises()

    def read(self, reading: Reading) -> None:
        self._seen.add(reading.page, reading.host, reading.relevance)
        waits = ~self._seen.is_visited(reading.targets)
        targets, features = reading.targets[waits], reading.features.those(waits)
        self._rows.append(reading.page, targets, reading.target_hosts[waits], features)
        promises = np.full(len(targets), float(reading.relevance >= RELEVANT))
        if self._model is not None:
            promises = probabilities(self._model.log_odds(features, np.zeros((len(targets), 0))))
        self._promises.met(targets, promises)

    def fetched(self, page: int, outlinks: IntArray) -> None:
        pass

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        pass

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        return self._promises.of(pages, depths)

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        if self._seen.visits >= self._due:
            self._due += _LEARNING_LIMIT
            self._model = self._built() or self._model
        links, model = MetLinks.of(self._rows), self._model
        if model is None:
            promises = (self._seen.relevance(links.sources) >= RELEVANT).astype(np.float64)
        else:
            promises = probabilities(model.log_odds(links.features, np.zeros((len(links), 0))))

        def urgencies() -> FloatArray:
            best = np.full(1 + max(int(links.targets.max(initial=-1)), int(waiting.max(initial=-1))), -1.0)
            np.maximum.at(best, links.targets, promises)
            found: FloatArray = np.where(best[waiting] < 0, _UNKNOWN, best[waiting])
            return self._promises.refreshed(waiting, found)

        return urgencies

    def _built(self) -> PromiseModel | None:
        """None as long as all links led to the same."""
        links = MetLinks.of(self._rows)
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
        untaught = PromiseModel.untaught(np.zeros(0), 0.0)
        return untaught.taught(examples.features, nothing, outcomes, np.ones(len(examples)))
