"""Combines the features of a crawl into one. Pure.

The loop knows no feature by name. Each method here calls all features that override the method, in the order of the
list.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.feature import READ_AHEAD, BoolArray, Feature, IntArray
from hinterland.crawler.loop.decisions.moments import (
    Ended,
    HostTaskRunner,
    PagesFound,
    ReadPage,
    RevisitOfPage,
    UpkeepJob,
)
from hinterland.crawler.parsing.messages import RawPage
from hinterland.storage.values.records import Record


class Features:
    """All features of a crawl, called through the methods of Feature. Immutable."""

    def __init__(self, features: Sequence[Feature] = (), statistics: Sequence[str] = ()) -> None:
        """`statistics` names all counters; the counters of features that take no part in the crawl are None."""
        self.all: Final = tuple(features)
        self._nothing_counted = dict.fromkeys(statistics)
        self._runners: dict[str, HostTaskRunner] = {}
        self._begin = self._at(Feature.begin)
        self._discovered = self._at(Feature.discovered)
        self._links_read = self._at(Feature.links_read)
        self._robots_read = self._at(Feature.robots_read)
        self._admits = self._at(Feature.admits)
        self._revisit = self._at(Feature.revisit)
        self._begins = self._at(Feature.begins)
        self._to_parse = self._at(Feature.to_parse)
        self._judged = self._at(Feature.judged)
        self._asks_again = self._at(Feature.asks_again)
        self._read = self._at(Feature.read)
        self._visited = self._at(Feature.visited)
        self._replaced = self._at(Feature.replaced)
        self._settled = self._at(Feature.settled)
        self._host_visited = self._at(Feature.host_visited)
        self._adds_no_page = self._at(Feature.adds_no_page)
        self._chooses = self._at(Feature.chooses)
        self._send_due = self._at(Feature.send_due)
        self._finishing = self._at(Feature.finishing)
        self._wants_upkeep = self._at(Feature.wants_upkeep)
        self._not_worth_waiting = self._at(Feature.is_not_worth_waiting)
        self._brings_back = self._at(Feature.brings_back)
        self._may_end = self._at(Feature.may_end)
        self._keeps_ahead = self._at(Feature.keeps_ahead)
        self._written = self._at(Feature.written)

    def _at(self, moment: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
        """Return the method `moment` of each feature that overrides it."""
        name = moment.__name__
        return tuple(getattr(each, name) for each in self.all if getattr(type(each), name) is not moment)

    # ---------------------------------------------------------------- the kind of crawl

    @property
    def asks_beside(self) -> bool:
        """Whether any feature makes requests to hosts outside their visits."""
        return any(feature.asks_beside for feature in self.all)

    @property
    def mostly_revisits(self) -> bool:
        """Whether most visits are revisits."""
        return any(feature.mostly_revisits for feature in self.all)

    # ---------------------------------------------------------------- beginning and end of a run

    def begin(self, now: float) -> list[Record]:
        """Return the records of all features."""
        return [record for begin in self._begin for record in begin(now)]

    async def finish(self) -> None:
        """Let the features finish, one after the other."""
        for feature in self.all:
            await feature.finish()

    def beside(self) -> list[Coroutine[None, None, None]]:
        """Return the coroutines to run alongside the visits until cancelled."""
        return [beside() for beside in self._at(Feature.beside)]

    def jobs(self) -> list[UpkeepJob]:
        """Return the jobs of all features, the most important first."""
        return [job for feature in self.all for job in feature.jobs()]

    # ---------------------------------------------------------------- discoveries

    def discovered(self, found: PagesFound) -> None:
        """Report new hosts and pages to the features."""
        for discovered in self._discovered:
            discovered(found)

    def links_read(self, page: int, outlinks: IntArray) -> None:
        """Report to the features that a page's links were read."""
        for read in self._links_read:
            read(page, outlinks)

    def robots_read(self, host: str, sitemaps: Sequence[str], now: float) -> None:
        """Report to the features that a robots.txt was read."""
        for read in self._robots_read:
            read(host, sitemaps, now)

    # ---------------------------------------------------------------- one visit

    @property
    def read_ahead(self) -> int:
        """The largest number of pages of a host that any feature wants to have read from the store together."""
        return max((feature.read_ahead for feature in self.all), default=READ_AHEAD)

    def admits(self, page: int) -> bool:
        """Return whether every feature admits a visit to the page."""
        return all(admits(page) for admits in self._admits)

    async def revisit(self, visit: Visit) -> RevisitOfPage | None:
        """Return how to revisit the page, from the first feature that knows; None if the page is not stored."""
        for revisit in self._revisit:
            if (found := await revisit(visit)) is not None:
                known: RevisitOfPage = found
                return known
        return None

    def begins(self, visit: Visit, url: str, now: float) -> bool:
        """Return whether every feature lets the first visit to a page go on."""
        return all(begins(visit, url, now) for begins in self._begins)

    def to_parse(self, page: int, raw: RawPage) -> RawPage:
        """Return the request to a parser process, extended by the features."""
        for to_parse in self._to_parse:
            raw = to_parse(page, raw)
        return raw

    async def judged(self, read: ReadPage) -> Verdict:
        """Return the verdict after every feature has judged the page."""
        for judged in self._judged:
            read.verdict = await judged(read)
        return read.verdict

    async def asks_again(self, read: ReadPage) -> bool:
        """Return whether any feature wants the page requested again."""
        for asks_again in self._asks_again:
            if await asks_again(read):
                return True
        return False

    def read(self, ended: Ended) -> None:
        """Report to the features that a visit has ended and its links are numbered."""
        for read in self._read:
            read(ended)

    def visited(self, ended: Ended) -> None:
        """Report to the features that a visit has ended."""
        for visited in self._visited:
            visited(ended)

    def replaced(self, ended: Ended) -> None:
        """Report to the features that a revisit replaces the stored version of the page."""
        for replaced in self._replaced:
            replaced(ended)

    def settled(self, page: int, kind: OutcomeKind, now: float, *, is_revisit: bool) -> list[Record]:
        """Return the features' records for a page that is not tried again."""
        return [record for settled in self._settled for record in settled(page, kind, now, is_revisit=is_revisit)]

    def host_visited(self, host: int) -> None:
        """Report to the features that a visit to a host has ended."""
        for visited in self._host_visited:
            visited(host)

    def runner_of(self, name: str) -> HostTaskRunner | None:
        """Return the runner of a feature's requests, by its name in `Feature.tasks`; None if there is none."""
        if name not in self._runners:
            self._runners = {name: runner for feature in self.all for name, runner in feature.tasks.items()}
        return self._runners.get(name)

    # ---------------------------------------------------------------- the next visit, and the end

    @property
    def visits_when_full(self) -> bool:
        """Whether any feature continues visits once the store is full."""
        return any(feature.visits_when_full for feature in self.all)

    def adds_no_page(self, page: int) -> bool:
        """Return whether any feature knows that a visit to the page adds no page to the store."""
        return any(adds_none(page) for adds_none in self._adds_no_page)

    def chooses(self) -> None:
        """Announce to the features that the next visit is about to be chosen."""
        for chooses in self._chooses:
            chooses()

    def send_due(self, now: float) -> float | None:
        """Queue the due tasks of all features; return the earliest time to call again, None if no task is planned."""
        times = [at for send_due in self._send_due if (at := send_due(now)) is not None]
        return min(times, default=None)

    def finishing(self, now: float) -> list[int]:
        """Queue the tasks of all features that are due even at the page limit; return the hosts that have tasks."""
        return [host for finishing in self._finishing for host in finishing(now)]

    @property
    def is_busy(self) -> bool:
        """Whether any feature has work under way."""
        return any(feature.is_busy for feature in self.all)

    def wants_upkeep(self, *, is_idle: bool, seconds: float) -> bool:
        """Return whether a job of any feature is due or running; every feature is asked."""
        answers = [wants(is_idle=is_idle, seconds=seconds) for wants in self._wants_upkeep]  # all are asked
        return any(answers)

    def is_not_worth_waiting(self) -> bool:
        """Return whether any feature knows that no queued page is worth waiting for."""
        return any(is_not() for is_not in self._not_worth_waiting)

    def brings_back(self, now: float) -> bool:
        """Queue the pages that features have set aside; return whether there were any."""
        answers = [brings_back(now) for brings_back in self._brings_back]
        return any(answers)

    def may_end(self, reason: EndReason) -> bool:
        """Return whether every feature lets the crawl end; every feature is asked."""
        answers = [may_end(reason) for may_end in self._may_end]
        return all(answers)

    @property
    def end_reasons(self) -> set[EndReason]:
        """The reasons that the features give for the end of the crawl."""
        return {reason for feature in self.all if (reason := feature.end_reason) is not None}

    # ---------------------------------------------------------------- the order of waiting pages

    @property
    def has_ranked(self) -> bool:
        """Whether the present order of the waiting pages comes from a feature."""
        return any(feature.has_ranked for feature in self.all)

    @property
    def replace_policy(self) -> bool:
        """Whether features always rank the waiting pages in place of the policy."""
        return any(feature.replaces_policy for feature in self.all)

    def keeps_ahead(self, pages: IntArray) -> BoolArray | None:
        """Return which pages a feature keeps ahead of all others, as a mask of shape (k,); None if no feature does."""
        kept: BoolArray | None = None
        for keeps_ahead in self._keeps_ahead:
            if (found := keeps_ahead(pages)) is not None:
                kept = found if kept is None else kept | found
        return kept

    def refreshed(self, last_visit: int) -> list[Record]:
        """Return the records of all features for the beginning of a refresh."""
        return [record for feature in self.all for record in feature.refreshed(last_visit)]

    def pages_between_refreshes(self, fetched: int, pages: int) -> int:
        """Return how many pages to fetch between two refreshes; each feature in turn may change the number."""
        for feature in self.all:
            pages = feature.pages_between_refreshes(fetched, pages)
        return pages

    # ---------------------------------------------------------------- for observers

    def statistics(self, now: float, waiting: int) -> dict[str, Any]:
        """Return the counters of all features, by name; the counters of a feature that takes no part are None."""
        counted = {name: value for each in self.all for name, value in each.statistics(now, waiting).items()}
        return {**self._nothing_counted, **counted}

    def written(self, records: Sequence[Record]) -> list[tuple[int, str]]:
        """Return the warnings of all features about pages in these records."""
        return [warning for written in self._written for warning in written(records)]

    def progress(self) -> list[Record]:
        """Return the progress records of all features."""
        return [record for feature in self.all if (record := feature.progress()) is not None]
