"""The answers of the API as plain values. The OpenAPI document shows their fields and docstrings.

Times are in epoch seconds.
"""

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
    """Why a request failed, and what to do."""

    error: str


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """A page of the store.

    `ranks` is null unless the page is local and ranked. `history` holds the page's share of the domain's PageRank at
    evenly spaced refreshes of the estimate; `refreshes` is the number of all refreshes. `copies` holds up to 100 other
    pages with the same body. `inlinks` and `copies` are null for a few minutes after an update of the program, while
    the links of the store are sorted.
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
    """A portion of the hosts.

    `total` is the number of hosts in the list. `waiting` maps the number of each host in this portion to its number of
    waiting pages.
    """

    hosts: Sequence[Host]
    waiting: Mapping[str, int]
    offset: int
    total: int


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """A host.

    `robots` is null if its robots.txt was never fetched.
    """

    host: Host
    robots: HostRobots | None
    pages: HostPages


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """The status of the crawl.

    `state` is null if no crawl has started, and "starting" while a process holds the store but has not begun a run.
    `running_process` is null unless a process is crawling now. `bound` is a sentence that says what limits this crawl;
    the figures are in the run's progress under "weather". `slowed` lists the URL patterns that seem to produce endless
    URLs.
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
    """All refreshes of the estimate, the oldest first; empty for a crawl without a hinterland."""

    estimates: Sequence[EstimateReport]


@dataclass(frozen=True, slots=True)
class BrokenLinksAnswer:
    """A portion of the broken pages to which links lead.

    Pages with the most links to them come first, each with some of these links. `total` is the number of pages in the
    list. `by_kind` counts all broken pages by reason. `knows_links` is false for a few minutes after an update of the
    program, while the links of the store are sorted.
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
