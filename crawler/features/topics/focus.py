"""Records what the visits of a crawl show about its topic, for the policy, the store and statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from hinterland.analysis.graph import IntArray
from hinterland.crawler.features.topics.harvest import Harvest, HarvestStatistics
from hinterland.crawler.features.topics.links.exploration_accuracy import ExplorationAccuracy, exploration_accuracy
from hinterland.crawler.features.topics.links.exploration_sample import Draw
from hinterland.crawler.features.topics.links.link_features import LinkFeatures
from hinterland.crawler.features.topics.links.packed_links import packed_links, unpacked_links
from hinterland.crawler.features.topics.policies.reading_policy import (
    Reading,
    ReadingPolicy,
    SamplingPolicy,
    pages_between_refreshes,
)
from hinterland.crawler.features.topics.reading.page_reading import PageReading
from hinterland.crawler.fetching.content_type import essence_of
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.urls.hosts import site_of
from hinterland.storage.values.topics import RELEVANT, DrawRecord, LearntRecord, RelevanceRecord

MOST_DRAWS: Final = 1_000
"""The maximum number of pages of the exploration sample from which accuracy is estimated: the last ones."""


class Focus:
    """Keeps the harvest and the exploration sample of a crawl, and tells the policy about every visit. Mutable."""

    def __init__(self, policy: FrontierPolicy, known: KnownPages, targets: Sequence[str] = ()) -> None:
        """Start without visits.

        `targets` are the content types of the files that the crawl seeks instead of pages, if it seeks files.
        """
        self._policy = policy if isinstance(policy, ReadingPolicy) else None
        self._drawing = policy if isinstance(policy, SamplingPolicy) else None
        self.has_learner = self._policy is not None
        self._known = known
        self._targets = frozenset(targets)
        self._harvest = Harvest()
        self._draws: dict[int, Draw] = {}  # by page, in their order
        self._visits = 0

    def statistics(self) -> HarvestStatistics:
        """Return the harvest of all runs together."""
        return self._harvest.statistics()

    def accuracy(self, waiting: int) -> ExplorationAccuracy | None:
        """Return the accuracy of predictions on the exploration sample, None while the sample is empty.

        `waiting` is how many pages wait now.
        """
        relevant = self._harvest.statistics().relevant
        return exploration_accuracy(list(self._draws.values()), visits=self._visits, relevant=relevant, waiting=waiting)

    def read(
        self, page: int, reading: PageReading | None, targets: Sequence[int], content_type: str | None = None
    ) -> list[RelevanceRecord | DrawRecord]:
        """Record a page that was read; return the records for the store.

        `targets` holds the page number of each of its links, -1 for links that are not kept. `content_type` is the
        header field; a file of a type that the crawl seeks is always relevant. This must be called before the policy
        learns of these links in any other way.
        """
        if reading is None:
            return []
        relevance = 1.0 if essence_of(content_type) in self._targets else reading.relevance
        self._count(page, relevance)
        if self._policy is None:
            return [RelevanceRecord(page, relevance)]
        numbers = np.array(targets, np.int32)
        features = LinkFeatures.unpacked(reading.sizes, reading.features, reading.likenesses)
        stored = features.likenesses.astype(np.float16)  # so that a resumed crawl learns from the same numbers
        features = LinkFeatures(features.ends, features.features, stored.astype(np.float32))
        told, drawn = self._tell(page, relevance, numbers, features)
        return [RelevanceRecord(page, relevance, packed_links(told.targets, told.features)), *drawn]

    def ended(self, page: int, content_type: str | None) -> list[RelevanceRecord | DrawRecord]:
        """Record a final visit that read no page; return the records for the store."""
        relevance = float(essence_of(content_type) in self._targets)
        if self._targets:
            self._count(page, relevance)
        _, drawn = self._tell(page, relevance)
        return [RelevanceRecord(page, relevance), *drawn] if self._targets or self._policy is not None else []

    def pages_between_refreshes(self, fetched: int, most: int) -> int:
        """Return after how many more pages the policy should learn again; see reading_policy.

        `most` is the number in the settings, which is returned for policies that do not learn.
        """
        return most if self._policy is None else pages_between_refreshes(fetched, most)

    def refreshed(self, visit: int) -> list[LearntRecord]:
        """Return the record of a refresh that begins after the visit with the number `visit`."""
        return [] if self._policy is None else [LearntRecord(visit, len(self._known))]

    def restore(self, record: RelevanceRecord, *, is_page: bool) -> None:
        """Restore a record of an earlier run; records must come in the order of visits.

        `is_page` says whether a page was read.
        """
        if record.links is None:
            self._tell(record.page, record.probability)
        else:
            self._tell(record.page, record.probability, *unpacked_links(record.links))
        if is_page or self._targets:
            self._count(record.page, record.probability)

    def restore_draws(self, draws: Sequence[tuple[DrawRecord, float]]) -> None:
        """Restore the sampled pages of earlier runs, in the order of visits, each with the relevance of the page."""
        self._count_draws([Draw(each.page, each.promise, found, each.worth, each.turn) for each, found in draws])

    def _tell(
        self, page: int, relevance: float, targets: IntArray | None = None, features: LinkFeatures | None = None
    ) -> tuple[Reading, list[DrawRecord]]:
        """Pass a visit to the policy.

        Return the reading that the policy received, and records of the sampled pages that count from now on.
        """
        self._visits += 1
        host = self._known.host_of(page)
        if targets is None or features is None:
            reading = Reading.of_no_page(page, host, relevance)
        else:
            reading = Reading.of_page(page, host, relevance, targets, self._known.hosts_of(targets), features)
        if self._policy is not None:
            self._policy.read(reading)
        return reading, self._count_draws(self._drawing.draws() if self._drawing is not None else [])

    def _count_draws(self, draws: Sequence[Draw]) -> list[DrawRecord]:
        """Count pages of the exploration sample; return their records.

        A visit after the last refresh is reported twice when a crawl is resumed, but its draw counts once.
        """
        for draw in draws:
            self._draws[draw.page] = draw
            if len(self._draws) > MOST_DRAWS:
                del self._draws[next(iter(self._draws))]
        return [DrawRecord(draw.page, draw.predicted, draw.worth, draw.turn) for draw in draws]

    def _count(self, page: int, relevance: float) -> None:
        site = site_of(self._known.host_urls[self._known.host_of(page)]) if relevance >= RELEVANT else None
        self._harvest.count(relevance, site)
