"""The feature of the crawl loop that checks what pages load and where they link to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.features.link_checks.check_visits import GIVEN_UP, CheckVisits, left_out_records
from hinterland.crawler.features.link_checks.known_checks import PAGE, KnownChecks
from hinterland.crawler.features.link_checks.settings import LinkCheckSettings
from hinterland.crawler.features.page_facts.reader import facts_of
from hinterland.crawler.features.page_facts.settings import AuditSettings
from hinterland.crawler.features.requisites.reading import READER
from hinterland.crawler.features.requisites.settings import ALL, NONE, RequisiteSettings
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.visits import HostTaskKind
from hinterland.crawler.loop.crawl_start import CoreState, CrawlRequest, CrawlStart, FeatureFactory, FeatureUnusable
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, HostTaskRunner
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.parsing.html.parsed_page import LinkKind
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.crawler.parsing.resources.references import ResourceKind
from hinterland.crawler.settings import Settings
from hinterland.storage.values.records import Record
from hinterland.storage.values.times import DAY

_AT_ONCE: Final = 1_000
"""At most this many hosts have a queued check at the same time."""
_FOLLOWED: Final = frozenset({LinkKind.A, LinkKind.AREA, LinkKind.FRAME, LinkKind.IFRAME, LinkKind.REFRESH})
_KINDS: Final = [kind.name.lower() for kind in ResourceKind]


@dataclass(frozen=True, slots=True)
class ChecksOnly:
    """Asks a crawl to check links and to visit no page."""


class LinkChecks(Feature):
    """Queues the addresses that pages refer to at their hosts, one at a time, ahead of the hosts' pages."""

    def __init__(
        self, known: KnownChecks, pages: KnownPages, pending: Sequence[tuple[str, str]], *, only: bool
    ) -> None:
        """Check for one crawl. `pending` are addresses of an earlier run; `only` visits no page."""
        self._known = known
        self._pages = pages
        self._pending = pending
        self._only = only
        self._visits: CheckVisits
        self._workings: Workings
        self._tasks: Mapping[HostTaskKind, HostTaskRunner] = {}

    def open(self, workings: Workings) -> None:
        """Connect to the crawl."""
        self._workings = workings
        self._visits = CheckVisits(self._known, workings)
        self._tasks = {HostTaskKind.CHECK: self._visits}

    @property
    def tasks(self) -> Mapping[HostTaskKind, HostTaskRunner]:
        """The object that carries out checks."""
        return self._tasks

    def admits(self, page: int) -> bool:
        """Return whether a page may be visited."""
        return not self._only

    # ---------------------------------------------------------------- discoveries

    def begin(self, now: float) -> list[Record]:
        """Queue what earlier runs have left."""
        records = [each for url, kind in self._pending for each in self._beyond(url, kind, now)]
        self._pending = ()
        return records

    def visited(self, ended: Ended) -> None:
        """Queue what a page refers to."""
        if not ended.is_revisit:
            self._note(ended)

    def replaced(self, ended: Ended) -> None:
        """Queue what a new version of a page refers to."""
        self._note(ended)

    def _note(self, ended: Ended) -> None:
        digest, now = ended.digest, self._workings.io.now()
        if ended.verdict.kind is not OutcomeKind.FETCHED or digest is None or not self._pages.is_local(ended.page):
            return
        for url, kind in addresses_of(digest):
            ended.after += self._beyond(url, kind, now)

    def _beyond(self, url: str, kind: str, now: float) -> list[Record]:
        return [*left_out_records(self._known.want(url, kind), now)]

    # ---------------------------------------------------------------- requests

    def send_due(self, now: float) -> float | None:
        """Queue the next address of every host that has none queued."""
        known, frontier = self._known, self._workings.components.frontier
        for host in known.unasked():
            if len(known.hosts_asked) >= _AT_ONCE:
                break
            if (wanted := known.next_of(host)) is not None:
                number = self._number_of(wanted.url)
                known.asked(number, wanted)
                if not frontier.ask_file(number, wanted.url, now, HostTaskKind.CHECK):
                    self._lost(number)
        return None

    def _number_of(self, url: str) -> int:
        """Return the number of a URL's host; a new host is stored."""
        number, discovery = self._workings.crawl_state.host_named(url)
        if discovery.new_hosts:
            self._workings.io.writer.submit(discovery)
        return number

    def finishing(self, now: float) -> Sequence[int]:
        """Queue the addresses of the last pages; return the hosts at which any is queued."""
        self.send_due(now)
        return self._known.hosts_asked

    def host_visited(self, host: int) -> None:
        """Drop the addresses of a host that was given up."""
        if self._known.asked_at(host) is not None and self._workings.components.frontier.politeness_of(host).given_up:
            self._lost(host)

    def _lost(self, host: int) -> None:
        for wanted in self._known.given_up(host):
            self._visits.end_unasked(wanted, GIVEN_UP, "its host did not answer, or has no robots.txt that can be read")

    # ---------------------------------------------------------------- the end

    @property
    def is_busy(self) -> bool:
        """Whether an address waits, or was requested."""
        return self._known.is_busy

    def may_end(self, reason: EndReason) -> bool:
        """Return whether all addresses were checked."""
        return not self._known.is_busy

    def statistics(self, now: float, waiting: int) -> dict[str, dict[str, int]]:
        """Return the counts of checks by outcome, and how many wait."""
        return {"link_checks": {**dict(self._known.tally.most_common()), "waiting": self._known.waiting}}


def addresses_of(digest: PageDigest) -> Iterator[tuple[str, str]]:
    """Yield the address and kind of all that a page loads and links to."""
    facts = facts_of(digest)
    for kind, url, _ in facts.references if facts is not None else ():
        if kind not in (ResourceKind.FRAME, ResourceKind.OBJECT):  # links that lead to pages
            yield url, _KINDS[kind]
    if digest.page is not None:
        for url, link_kind in zip(digest.page.link_urls, digest.page.link_kinds, strict=True):
            if link_kind in _FOLLOWED:
                yield url, PAGE


class LinkChecksFactory(FeatureFactory):
    """Adds the feature to crawls that check links."""

    counters = ("link_checks",)

    def refused_in_shards(self, request: CrawlRequest) -> str:
        """Return the words for checks, if there are any."""
        return "checking links" if _is_wanted(request.settings) else ""

    def page_reader(self, request: CrawlRequest, core: CoreState) -> ReaderOrder | None:
        """Return the order of the reader of style sheets."""
        return READER if _is_wanted(request.settings) else None

    async def make(self, start: CrawlStart) -> LinkChecks | None:
        """Return the feature, with what earlier runs have checked and left. Raises FeatureUnusable."""
        settings = start.settings.of(LinkCheckSettings)
        if not settings.use:
            return None
        if not start.settings.of(AuditSettings).page_facts:
            raise FeatureUnusable("link_checks.use needs audit.page_facts = true; `crawl --check-links` sets both")
        if start.request.warc is not None:
            raise FeatureUnusable(
                "checks ask for no bodies, so an archive has no use for them; give --warc or --check-links"
            )
        pages, since = start.core.known, start.now() - settings.max_age_days * DAY

        loads = start.settings.of(RequisiteSettings).fetch

        def is_ours(url: str, kind: str) -> bool:
            page = pages.find(url)
            if page is not None and pages.is_local(page):
                return True
            return kind != PAGE and (loads == ALL or (loads != NONE and start.core.scope.is_local(url)))

        checked, pending = await start.store.ask(
            lambda stored: (stored.link_checks.since(since), list(stored.link_checks.pending(since)))
        )
        only = start.request.of(ChecksOnly) is not None
        return LinkChecks(KnownChecks(settings.max_per_host, is_ours, checked), pages, pending, only=only)


def _is_wanted(settings: Settings) -> bool:
    return settings.of(LinkCheckSettings).use
