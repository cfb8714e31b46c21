"""The feature of the crawl loop that focuses a crawl on a topic."""

from __future__ import annotations

from collections.abc import Sequence

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.features.topics.focus import Focus
from hinterland.crawler.features.topics.harvest import HarvestStatistics
from hinterland.crawler.features.topics.links.exploration_accuracy import ExplorationAccuracy
from hinterland.crawler.features.topics.policies.reading_policy import ReadingPolicy
from hinterland.crawler.features.topics.reading.page_reading import reading_of
from hinterland.crawler.features.topics.reading.reader_order import reader_order
from hinterland.crawler.features.topics.restoring_focus import restore_focus
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.frontier.waiting_pages import IntArray
from hinterland.crawler.loop.crawl_start import CoreState, CrawlRequest, FeatureFactory
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.loop.restorable import Restorable
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.records import Record
from hinterland.storage.values.topics import JudgementRecord


class FocusedCrawl(Restorable):
    """Passes to the policy what pages and their links say about the topic.

    A resumed crawl continues with what earlier runs have learnt.
    """

    def __init__(self, policy: FrontierPolicy, known: KnownPages, targets: Sequence[str] = ()) -> None:
        """Focus `policy` on a topic.

        `targets` are the content types of the files that the crawl seeks instead of pages, if it seeks files.
        """
        self._focus = Focus(policy, known, targets)
        self._policy = policy

    # ---------------------------------------------------------------- visits

    def read(self, ended: Ended) -> None:
        """Record the relevance of a page that was read."""
        reading = reading_of(ended.digest)
        ended.after += self._focus.read(ended.page, reading, ended.outlinks.targets, ended.content_type)

    def visited(self, ended: Ended) -> None:
        """Record a final visit that read no page."""
        if not ended.is_revisit and ended.is_final and reading_of(ended.digest) is None:
            ended.after += self._focus.ended(ended.page, ended.content_type)

    def replaced(self, ended: Ended) -> None:
        """Record the relevance of the new version of a page."""
        if (reading := reading_of(ended.digest)) is not None:
            ended.after.append(JudgementRecord(ended.page, reading.relevance))

    def settled(self, page: int, kind: OutcomeKind, now: float, *, is_revisit: bool) -> list[Record]:
        """Record a page that was given up after its last visit had ended."""
        return [] if is_revisit else [*self._focus.ended(page, None)]

    # ---------------------------------------------------------------- refreshes

    def refreshed(self, last_visit: int) -> list[Record]:
        """Return a record that the policy learns again, from all visits up to `last_visit`."""
        return [*self._focus.refreshed(last_visit)]

    def pages_between_refreshes(self, fetched: int, pages: int) -> int:
        """Return after how many more pages the policy should learn again."""
        return self._focus.pages_between_refreshes(fetched, pages)

    def statistics(self, now: float, waiting: int) -> dict[str, HarvestStatistics | ExplorationAccuracy | None]:
        """Return the harvest, and the accuracy of predictions according to the exploration sample."""
        return {"harvest": self._focus.statistics(), "accuracy": self._focus.accuracy(waiting)}

    # ---------------------------------------------------------------- an earlier run

    @property
    def remembers_urgencies(self) -> bool:
        """Whether the policy learns, and therefore remembers the urgencies of pages itself."""
        return self._focus.has_learner

    async def relearn(self, store: LinkStore, waiting: IntArray, crawled: CrawledGraph | None) -> int | None:
        """Restore the policy's state from the store; return how many pages were fetched after its last refresh."""
        return await restore_focus(store, self._focus, self._policy, waiting, crawled)


class FocusedCrawlFactory(FeatureFactory):
    """Adds the focus on a topic to crawls that have one."""

    counters = ("harvest", "accuracy")

    def refused_in_shards(self, request: CrawlRequest) -> str:
        """Return "a topic", which shards do not support, if the crawl has one; else ""."""
        return "" if request.topic is None else "a topic"

    def page_reader(self, request: CrawlRequest, core: CoreState) -> ReaderOrder | None:
        """Return the `ReaderOrder` by which pages are judged and, if the policy learns from links, links are read."""
        if request.topic is None:
            return None
        return reader_order(request.topic, request.plugins, reads_links=isinstance(core.policy, ReadingPolicy))

    def make_restorable(self, request: CrawlRequest, core: CoreState) -> FocusedCrawl | None:
        """Return the feature, before it has learnt anything."""
        if request.topic is None:
            return None
        return FocusedCrawl(core.policy, core.known, request.topic.targets)
