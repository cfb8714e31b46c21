"""The interface of features, which are optional parts of a crawl: what they may do at each moment. Pure.

A feature acts in the same step as the loop, which is atomic between two awaits. The records it adds are written in the
same transaction as the loop's records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.moments import (
    Ended,
    HostTaskRunner,
    PagesFound,
    ReadPage,
    RevisitOfPage,
    UpkeepJob,
)
from hinterland.crawler.parsing.messages import RawPage
from hinterland.storage.values.extraction import ExtractionTable
from hinterland.storage.values.records import Record

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int32]
READ_AHEAD: Final = 32
"""How many of a host's next pages have their rows read from the store together."""


class Feature:
    """Base class of features; a feature is an optional part of a crawl.

    Each method is called at a certain moment of the crawl. A subclass overrides the methods of the moments at which it
    does something; the methods here do nothing. If a method answers yes or no, one feature that says "no" decides for
    all. Where a docstring says "One yes is enough", one feature that says "yes" decides for all.
    """

    asks_beside = False
    """Whether the feature makes requests to hosts outside their visits; see HostSlots."""

    mostly_revisits = False
    """Whether most visits are revisits, so that most links in the store stay as they are."""

    @property
    def tables(self) -> Sequence[ExtractionTable]:
        """The tables that the feature fills with ExtractedRecords; each is made by `table_of_feature`."""
        return ()

    # ---------------------------------------------------------------- beginning and end of a run

    def begin(self, now: float) -> list[Record]:
        """Return records to write when the run begins."""
        return []

    async def finish(self) -> None:
        """Finish the feature's work once no visit is under way; records may still be written."""

    async def beside(self) -> None:
        """Run alongside the visits until this is cancelled."""

    def jobs(self) -> Sequence[UpkeepJob]:
        """Return the feature's jobs to run alongside the visits, the most important first."""
        return ()

    # ---------------------------------------------------------------- discoveries

    def discovered(self, found: PagesFound) -> None:
        """Learn of new hosts and pages, before the frontier and the policy learn of them."""

    def links_read(self, page: int, outlinks: IntArray) -> None:
        """Learn that a page's links were read; `outlinks` are the distinct pages that it links to, shape (k,)."""

    def robots_read(self, host: str, sitemaps: Sequence[str], now: float) -> None:
        """Learn that the robots.txt of a host was read.

        `host` is the host's URL; `sitemaps` are the sitemap URLs in the file, as written.
        """

    # ---------------------------------------------------------------- one visit

    @property
    def read_ahead(self) -> int:
        """The number of pages of a host that are read from the store together."""
        return READ_AHEAD

    def admits(self, page: int) -> bool:
        """Return whether a visit to a page may begin; if it may not, the page leaves the frontier."""
        return True

    async def revisit(self, visit: Visit) -> RevisitOfPage | None:
        """Return how to revisit a stored page; None if the page is not stored."""
        return None

    def begins(self, visit: Visit, url: str, now: float) -> bool:
        """Return whether the first visit to a page may continue; if not, the feature has already ended it."""
        return True

    def to_parse(self, page: int, raw: RawPage) -> RawPage:
        """Return the request to a parser process. The feature may add to it what it wants to know about the page."""
        return raw

    async def judged(self, read: ReadPage) -> Verdict:
        """Return the verdict on a page just read, while its visit still occupies the host."""
        return read.verdict

    async def asks_again(self, read: ReadPage) -> bool:
        """Return whether to request the page again and not count this visit. One yes is enough."""
        return False

    def read(self, ended: Ended) -> None:
        """Learn that a visit has ended and its links are numbered, before the policy and the frontier learn of it."""

    def visited(self, ended: Ended) -> None:
        """Learn that a visit has ended and everything it discovered is known."""

    def replaced(self, ended: Ended) -> None:
        """Learn, after `visited`, that a revisit replaces the stored version of the page."""

    def settled(self, page: int, kind: OutcomeKind, now: float, *, is_revisit: bool) -> list[Record]:
        """Return further records for a page that is not tried again, as its last failure was the page's own fault."""
        return []

    def host_visited(self, host: int) -> None:
        """Learn that a visit to a host, or a task for it, has ended."""

    @property
    def tasks(self) -> Mapping[str, HostTaskRunner]:
        """The objects that make the feature's requests, by the name under which they are queued at the frontier."""
        return {}

    # ---------------------------------------------------------------- the next visit, and the end

    @property
    def visits_when_full(self) -> bool:
        """Whether visits that add no page continue when the store has reached its page limit."""
        return False

    def adds_no_page(self, page: int) -> bool:
        """Return whether a visit to the page adds no page to the store. One yes is enough."""
        return False

    def chooses(self) -> None:
        """Prepare for the choice of the next visit. It is made immediately after this call."""

    def send_due(self, now: float) -> float | None:
        """Queue the host tasks that are due; return when to call again, None if no task is planned."""
        return None

    def finishing(self, now: float) -> Sequence[int]:
        """Queue tasks that are carried out even when the store is at its page limit; return the hosts that have any."""
        return ()

    @property
    def is_busy(self) -> bool:
        """Whether the feature has work under way that may lead to further visits."""
        return False

    def wants_upkeep(self, *, is_idle: bool, seconds: float) -> bool:
        """Return whether a job of the feature is due or running, which keeps the crawl from ending.

        `seconds` is the time until the next visit may begin. `is_idle` means that nothing may be visited except pages
        of failing hosts.
        """
        return False

    def is_not_worth_waiting(self) -> bool:
        """Return whether no queued page is worth waiting for. One yes is enough."""
        return False

    def brings_back(self, now: float) -> bool:
        """Queue the pages that the feature has set aside, because nothing else waits; return whether there were any."""
        return False

    def may_end(self, reason: EndReason) -> bool:
        """Return whether the crawl may end for a reason that would disappear with new pages."""
        return True

    @property
    def end_reason(self) -> EndReason | None:
        """The reason to end the crawl if the feature keeps all waiting pages from being visited; otherwise None."""
        return None

    # ---------------------------------------------------------------- the order of waiting pages

    @property
    def has_ranked(self) -> bool:
        """Whether the present order of the waiting pages comes from the feature, not the policy."""
        return False

    @property
    def replaces_policy(self) -> bool:
        """Whether the feature always ranks the waiting pages in place of the policy."""
        return False

    def keeps_ahead(self, pages: IntArray) -> BoolArray | None:
        """Return which waiting pages stay ahead of all others when the policy ranks them, as a mask of shape (k,).

        None means that no page does.
        """
        return None

    def refreshed(self, last_visit: int) -> list[Record]:
        """Return records to write when the policy begins to rank the waiting pages."""
        return []

    def pages_between_refreshes(self, fetched: int, pages: int) -> int:
        """Return how many pages to fetch between two refreshes; `pages` is the number in the settings."""
        return pages

    # ---------------------------------------------------------------- for observers

    def statistics(self, now: float, waiting: int) -> Mapping[str, Any]:
        """Return the feature's counters, by their names in the statistics.

        `waiting` is the number of waiting pages in the frontier.
        """
        return {}

    def written(self, records: Sequence[Record]) -> Iterable[tuple[int, str]]:
        """Return warnings to log after these records were written, as (page, what is wrong with it)."""
        return ()

    def progress(self) -> Record | None:
        """Return a record for observers of the running crawl; it is written when it has changed."""
        return None
