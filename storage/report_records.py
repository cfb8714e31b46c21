"""What reports on a store consist of: plain values, no behaviour. Times are epoch seconds."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # most who look at a store need no numpy, and it takes a tenth of a second
    import numpy as np
    from numpy.typing import NDArray

PAGE_STATES = ("fetched", "redirected", "waiting", "failed", "refused", "known")
"""In the order of reports."""


class RunState(StrEnum):
    ENDED = "ended"
    RUNNING = "running"
    KILLED = "killed"


@dataclass(frozen=True, slots=True)
class RunReport:
    """One start of the crawler. progress: the counters it last reported, at updated_at."""

    number: int
    state: RunState
    started_at: float
    updated_at: float
    reason: str | None
    command: Sequence[str]
    progress: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PageCounts:
    """Pages by state (the keys are PAGE_STATES), those of the local domain and all others."""

    local: Mapping[str, int]
    outside: Mapping[str, int]

    def of(self, state: str) -> int:
        return self.local[state] + self.outside[state]

    @property
    def total(self) -> int:
        return sum(self.local.values()) + sum(self.outside.values())


@dataclass(frozen=True, slots=True)
class FailureReport:
    """Visits that led to no page, of one kind. retrying: how many of these pages will be tried again."""

    outcome: str
    status: int | None
    pages: int
    retrying: int
    example: str
    detail: str


@dataclass(frozen=True, slots=True)
class SlowedReport:
    """A shape of URLs that go behind all others of their host; see the columns of its table in storage/schema.py."""

    host: str
    shape: str
    suspicion: str
    visits: int
    in_vain: int
    earned: int
    left_waiting: int


@dataclass(frozen=True, slots=True)
class HostReport:
    url: str
    pages_fetched: int
    waiting: int
    next_fetch: float
    failures: int
    last_error: str | None


@dataclass(frozen=True, slots=True)
class HostsReport:
    """The hosts, and of each sort the few that are worth a line."""

    known: int
    visited: int
    given_up: int
    by_pages: Sequence[HostReport]
    by_waiting: Sequence[HostReport]
    failing: Sequence[HostReport]  # at present, and to be tried again
    lost: Sequence[HostReport]  # given up


@dataclass(frozen=True, slots=True)
class PageReport:
    """What the store knows of one page; what a visit would have told is None before the first one."""

    number: int
    url: str
    state: str
    is_local: bool
    depth: int
    referrer: str | None
    outcome: str | None
    detail: str | None
    status: int | None
    attempt: int | None
    retry_at: float | None
    fetched_at: float | None
    redirect_target: str | None
    title: str | None
    cut: Mapping[str, int]
    """What was too much of it, and how many of those were shortened or left out."""


@dataclass(frozen=True, slots=True)
class StoredRobots:
    """The robots.txt of a host as last fetched. text: None unless the host gave one."""

    status: int | None
    fetched_at: float
    expires_at: float
    text: bytes | None


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A page, and from how many others links lead to it."""

    url: str
    title: str | None
    inlinks: int


@dataclass(frozen=True, slots=True)
class StoredLinks:
    """All pages and links of a store. By page number: its URL, 1 if it is local, 1 if its links are known because
    it was fetched or redirects. sources and targets are parallel; a link is named once for each of its kinds."""

    urls: Sequence[str]
    is_local: bytes
    is_visited: bytes
    sources: array[int]
    targets: array[int]


@dataclass(frozen=True, slots=True)
class EstimateReport:
    """One refresh of the estimate; see the columns of its table in storage/schema.py."""

    run: int
    visit: int
    local_pages: int
    outside_pages: int
    estimator: str
    change: float | None
    disagreement: float | None
    seconds: float
    created_at: float


@dataclass(frozen=True, eq=False)
class StoredCrawl:
    """The n known pages and the links of those that were crawled.

    By page number, shape (n,): is_crawled, whether its links are known; outdegrees, of the others 0; is_local;
    is_fetched, whether it was fetched and is HTML; hosts, the number of its host. targets: the links of page 0, then
    those of page 1 ...; of a page distinct, ascending and without itself.
    """

    is_crawled: NDArray[np.bool_]
    outdegrees: NDArray[np.int32]
    targets: NDArray[np.int32]
    is_local: NDArray[np.bool_]
    is_fetched: NDArray[np.bool_]
    hosts: NDArray[np.int32]
