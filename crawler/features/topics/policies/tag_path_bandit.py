"""The policy `tag-path-bandit`: a bandit learns from which places in pages links lead to files.

It follows SB-CLASSIFIER (Gauquier, Manolescu & Senellart, EDBT 2026), for finding files on one site.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import BoolArray
from hinterland.analysis.sampling import permanent_random_numbers
from hinterland.crawler.features.topics.links.link_features import LinkFeatures
from hinterland.crawler.features.topics.links.link_relevance import SeenLinks, best_of_links
from hinterland.crawler.features.topics.links.link_relevance_model import LinkRelevanceModel
from hinterland.crawler.features.topics.policies.link_learner import LinkLearner
from hinterland.crawler.features.topics.policies.reading_policy import Reading
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray
from hinterland.storage.values.topics import RELEVANT

_SOUGHT: Final = 1e3
"""Added to the score of links that, according to the classifier, lead to files, so that these are fetched next."""
_JITTER: Final = 1e-2
"""The range of the random part of scores: well above their rounding errors, and well below the differences between
arms.
"""
_UNKNOWN: Final = 0.5
_UNTRAINED: Final = LinkRelevanceModel.untrained(np.zeros(0), -1.0)
_END_OF_PATH: Final = -2
"""The index, among the features of a link, of the end of its path. The last three features are the path, its end, and
the names of its elements.
"""


class TagPathBandit(LinkLearner):
    """Chooses arms by UCB1 (Auer, Cesa-Bianchi & Fischer 2002), and the links of an arm at random.

    An arm is the set of all links that are inside the same three nested elements. (The paper joins similar paths
    instead.) A classifier predicts which links lead to sought files. The reward of a page is the number of unknown
    files to which it links.
    """

    def __init__(self, seed: int) -> None:
        """Start before the first visit. The same seed gives the same random draws."""
        super().__init__()
        self._seed = seed & (2**32 - 1)
        self._classifier = _UNTRAINED
        self._draws: dict[int, tuple[int, float]] = {}  # by arm: pages visited, files they led to

    def read(self, reading: Reading) -> None:
        """Reward the arms that led to a page, and score the page's links."""
        is_new = np.array([not self._rows.sources_of(target) for target in reading.targets.tolist()], np.bool_)
        is_new &= ~self._seen.is_visited(reading.targets)
        found = float(self._is_sought(reading.features)[is_new].sum())
        for arm in self._arms_leading_to(reading.page):
            visits, gains = self._draws.get(arm, (0, 0.0))
            self._draws[arm] = visits + 1, gains + found
        self._seen.add(reading.page, reading.host, reading.relevance)
        links = self._keep(reading)
        self._remembered.met(links.targets, self._scores(links.features) + self._jitter(links.targets))

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Train the classifier, and return a function that returns the urgencies of `waiting`."""
        links = SeenLinks.of(self._rows)
        self._classifier = self._trained(links) or self._classifier
        scores = self._scores(links.features)

        def urgencies() -> FloatArray:
            found = best_of_links(links.targets, scores, waiting, unknown=_UNKNOWN)
            return self._remembered.refreshed(waiting, found + self._jitter(waiting))

        return urgencies

    def _jitter(self, pages: IntArray) -> FloatArray:
        """Return the random part of the pages' scores, which orders the links of one arm, shape (k,)."""
        jitter: FloatArray = _JITTER * permanent_random_numbers(pages, self._seed)
        return jitter

    def _arms_leading_to(self, page: int) -> list[int]:
        rows = self._rows.rows_to(page)
        return _arms(self._rows.features)[rows[-1:]].tolist() if rows else []

    def _scores(self, features: LinkFeatures) -> FloatArray:
        """Return the UCB1 score of each link's arm, plus _SOUGHT for links that probably lead to files, shape (k,)."""
        visits = 1 + sum(drawn for drawn, _ in self._draws.values())
        best = 1.0 + max((gains / drawn for drawn, gains in self._draws.values()), default=0.0)
        unknown = best + np.sqrt(2 * np.log(visits) + 1)
        score_of = {
            arm: gains / drawn + best * np.sqrt(2 * np.log(visits) / drawn)
            for arm, (drawn, gains) in self._draws.items()
        }
        scores = np.array([score_of.get(arm, unknown) for arm in _arms(features).tolist()])
        found: FloatArray = scores + _SOUGHT * self._is_sought(features)
        return found

    def _is_sought(self, features: LinkFeatures) -> BoolArray:
        found: BoolArray = self._classifier.log_odds(features, np.zeros((len(features), 0))) > 0
        return found

    def _trained(self, links: SeenLinks) -> LinkRelevanceModel | None:
        """Return a classifier; None if all links so far have led to pages of one class."""
        led = self._seen.is_visited(links.targets)
        examples = links.those(led)
        outcomes = (self._seen.relevance(examples.targets) >= RELEVANT).astype(np.float64)
        if not 0 < outcomes.sum() < len(outcomes):
            return None
        return _UNTRAINED.trained(examples.features, np.zeros((len(examples), 0)), outcomes, np.ones(len(examples)))


def _arms(features: LinkFeatures) -> IntArray:
    """Return the arm of each link, shape (k,)."""
    arms: IntArray = features.features[features.ends + _END_OF_PATH].astype(np.int32)
    return arms
