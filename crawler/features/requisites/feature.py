"""The feature of the crawl loop that fetches the requisites of pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hinterland.crawler.features.requisites.known_requisites import KnownRequisites
from hinterland.crawler.features.requisites.reading import READER, references_of
from hinterland.crawler.features.requisites.requisite_visits import GIVEN_UP, LEFT_TO_CRAWL, RequisiteVisits
from hinterland.crawler.features.requisites.settings import NONE, RequisiteSettings
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.visits import HostTaskKind
from hinterland.crawler.loop.crawl_start import CoreState, CrawlRequest, CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, HostTaskRunner
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.crawler.settings import Settings

_AT_ONCE: Final = 1_000
"""At most this many hosts have a queued requisite at the same time."""


class Requisites(Feature):
    """Queues the requisites of each page at their hosts, one at a time, ahead of the hosts' pages."""

    def __init__(self, known: KnownRequisites) -> None:
        """Continue with what is known from the store."""
        self._known = known
        self._visits: RequisiteVisits
        self._workings: Workings
        self._tasks: Mapping[HostTaskKind, HostTaskRunner] = {}

    def open(self, workings: Workings) -> None:
        """Connect to the crawl."""
        self._workings = workings
        self._visits = RequisiteVisits(self._known, workings)
        self._tasks = {HostTaskKind.REQUISITE: self._visits}

    @property
    def tasks(self) -> Mapping[HostTaskKind, HostTaskRunner]:
        """The object that carries out visits to requisites."""
        return self._tasks

    # ---------------------------------------------------------------- discoveries

    def visited(self, ended: Ended) -> None:
        """Note the requisites of a page."""
        if not ended.is_revisit:
            self._note(ended)

    def replaced(self, ended: Ended) -> None:
        """Note the requisites of a new version of a page; those that are known are not fetched again."""
        self._note(ended)

    def _note(self, ended: Ended) -> None:
        digest = ended.digest
        if ended.verdict.kind is OutcomeKind.FETCHED and digest is not None and digest.page is not None:
            references, left_out = references_of(digest)
            ended.after.append(self._known.found(ended.page, ended.url, references, left_out))

    # ---------------------------------------------------------------- requests

    def send_due(self, now: float) -> float | None:
        """Queue the next requisite of every host that has none queued."""
        known = self._known
        for host in known.unasked():
            if len(known.hosts_asked) >= _AT_ONCE:
                break
            self._send(host, now)
        return None

    def _send(self, host: str, now: float) -> None:
        known, frontier = self._known, self._workings.components.frontier
        while (wanted := known.next_of(host)) is not None:
            if known.is_page(wanted):
                known.begins()
                self._visits.end_unfetched(wanted, LEFT_TO_CRAWL, "")
                continue
            number = self._number_of(wanted.url)
            known.asked(number, wanted)
            if not frontier.ask_file(number, wanted.url, now, HostTaskKind.REQUISITE):
                self._lost(number)
            return

    def _number_of(self, url: str) -> int:
        """Return the number of a URL's host; a new host is stored."""
        number, discovery = self._workings.crawl_state.host_named(url)
        if discovery.new_hosts:
            self._workings.io.writer.submit(discovery)
        return number

    def finishing(self, now: float) -> Sequence[int]:
        """Queue the requisites of the last pages; return the hosts at which any is queued."""
        self.send_due(now)
        return self._known.hosts_asked

    def host_visited(self, host: int) -> None:
        """Drop the requisites of a host that was given up."""
        if self._known.asked_at(host) is not None and self._workings.components.frontier.politeness_of(host).given_up:
            self._lost(host)

    def _lost(self, host: int) -> None:
        for wanted in self._known.given_up(host):
            self._visits.end_unfetched(
                wanted, GIVEN_UP, "its host did not answer, or has no robots.txt that can be read"
            )

    # ---------------------------------------------------------------- the end

    @property
    def is_busy(self) -> bool:
        """Whether a requisite waits, was requested or is being read."""
        return self._known.is_busy

    def may_end(self, reason: EndReason) -> bool:
        """Return whether all requisites were fetched."""
        return not self._known.is_busy

    def statistics(self, now: float, waiting: int) -> dict[str, dict[str, int]]:
        """Return the counts of requisites by outcome, and how many wait."""
        return {"requisites": {**dict(self._known.tally.most_common()), "waiting": self._known.waiting}}


class RequisitesFactory(FeatureFactory):
    """Adds the feature to crawls and recrawls, as the settings say."""

    counters = ("requisites",)

    def refused_in_shards(self, request: CrawlRequest) -> str:
        """Return the words for requisites, if they are fetched."""
        return "fetching the requisites of pages" if _is_wanted(request.settings) else ""

    def page_reader(self, request: CrawlRequest, core: CoreState) -> ReaderOrder | None:
        """Return the order of the reader of references."""
        return READER if _is_wanted(request.settings) else None

    async def make(self, start: CrawlStart) -> Requisites | None:
        """Return the feature, with the requisites that are known from earlier runs."""
        if not _is_wanted(start.settings):
            return None
        pages = start.core.known

        def is_page(url: str) -> bool:
            page = pages.find(url)
            return page is not None and pages.is_local(page)

        known, waiting, counts = await start.store.ask(
            lambda stored: (stored.requisites.known(), stored.requisites.waiting(), stored.requisites.counts_of_pages())
        )
        return Requisites(KnownRequisites(start.settings.of(RequisiteSettings), is_page, known, waiting, counts))


def _is_wanted(settings: Settings) -> bool:
    return settings.of(RequisiteSettings).fetch != NONE
