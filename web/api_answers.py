"""What the API answers, as plain values: their fields and docstrings are its documentation. Times are epoch seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hinterland.search.answers import SearchAnswer
from hinterland.storage.values.broken_links import BrokenKind, BrokenPage
from hinterland.storage.values.hosts import Host, HostPages, HostRobots, SlowedReport
from hinterland.storage.values.links import LinkPortion
from hinterland.storage.values.lists import FailureList, LinkList, PageList
from hinterland.storage.values.pages import FailureReport, NamedPage, Page, PageCounts, StoredText
from hinterland.storage.values.ranks import EstimateReport, PageRanks
from hinterland.storage.values.runs import RunReport, RunState
from hinterland.web.page_history import HistoryPoint


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """Why there is no other answer, and what to do."""

    error: str


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """A page. ranks: null unless it is local and ranked. refreshes: of the estimate in all; history: of the page's
    share, at refreshes evenly chosen. copies: other pages with the same body, 100 at most. inlinks, copies: null while
    a crawl runs, which keeps no index of them.
    """

    page: Page
    text: StoredText | None
    ranks: PageRanks | None
    history: Sequence[HistoryPoint]
    refreshes: int
    outlinks: LinkPortion
    inlinks: LinkPortion | None
    copies: Sequence[NamedPage] | None


@dataclass(frozen=True, slots=True)
class HostsAnswer:
    """Some of the hosts. total: how many there are to list; waiting: by host number, for those listed."""

    hosts: Sequence[Host]
    waiting: Mapping[str, int]
    offset: int
    total: int


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """A host. robots: null if its robots.txt was never fetched."""

    host: Host
    robots: HostRobots | None
    pages: HostPages


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """How the crawl stands. state: null if none has begun; "starting" while a process holds the store and has begun no
    run yet. running_process: null unless one is crawling into the store now; bound: what bounds that
    crawl now, as a sentence; the figures are in the run's progress, under "weather". slowed: the shapes of URLs
    that go on without end.
    """

    store: str
    size_bytes: int
    last_written: float
    time: float
    state: RunState | None
    running_process: int | None
    bound: str | None
    pages: PageCounts
    failures: Sequence[FailureReport]
    slowed: Sequence[SlowedReport]
    runs: Sequence[RunReport]


@dataclass(frozen=True, slots=True)
class EstimatesAnswer:
    """Every refresh of the estimate, the oldest first; empty without a hinterland."""

    estimates: Sequence[EstimateReport]


@dataclass(frozen=True, slots=True)
class BrokenLinksAnswer:
    """Some of the pages that links lead to in vain, those that most pages link to first, with some of the links there.
    total: how many there are to list; by_kind: all that are broken; knows_links: false while a crawl runs, which keeps
    no index of who links where.
    """

    pages: Sequence[BrokenPage]
    by_kind: Sequence[BrokenKind]
    knows_links: bool
    offset: int
    total: int


ANSWERS: dict[str, type[Any]] = {
    "search": SearchAnswer,
    "page": PageAnswer,
    "hosts": HostsAnswer,
    "host": HostAnswer,
    "status": StatusAnswer,
    "estimates": EstimatesAnswer,
    "broken-links": BrokenLinksAnswer,
    "pages": PageList,
    "links": LinkList,
    "errors": FailureList,
}
