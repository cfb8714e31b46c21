"""Hosts as the store reports them. Plain values; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hinterland.storage.values.pages import HostTopPage, NamedPage

HOST_ORDERS = ("pages", "failures", "rest", "name")
"""How lists of hosts can be ordered: by visits, consecutive failures, the time of the next fetch, or URL."""


@dataclass(frozen=True, slots=True)
class HostStateRecord:
    """The state of a host after a visit; times in epoch seconds."""

    number: int
    address: str | None
    next_fetch: float
    rest_seconds: float
    failures: int
    pages_fetched: int
    is_given_up: bool
    last_error: str | None = None  # None: keep what was noted before


@dataclass(frozen=True, slots=True)
class HostReport:
    """A host, as one line of a report."""

    url: str
    pages_fetched: int
    waiting: int
    next_fetch: float
    failures: int
    last_error: str | None


@dataclass(frozen=True, slots=True)
class HostsReport:
    """Totals over all hosts, and some notable hosts of each kind."""

    known: int
    visited: int
    given_up: int
    by_pages: Sequence[HostReport]
    by_waiting: Sequence[HostReport]
    failing: Sequence[HostReport]  # at present, and to be retried
    lost: Sequence[HostReport]  # given up


@dataclass(frozen=True, slots=True)
class Host:
    """A host, and when and how fast it may be requested.

    The robots fields are None if robots.txt was never fetched.
    """

    number: int
    url: str
    site: str
    address: str | None
    next_fetch: float
    rest_seconds: float
    failures: int
    pages_fetched: int
    is_given_up: bool
    last_error: str | None
    robots_status: int | None
    robots_fetched_at: float | None
    robots_expires_at: float | None
    crawl_delay: float | None


@dataclass(frozen=True, slots=True)
class HostFailure:
    """Visits to a host that failed with the same outcome and status: how many pages, and an example with its detail."""

    outcome: str
    status: int | None
    pages: int
    example: NamedPage
    detail: str


@dataclass(frozen=True, slots=True)
class HostPages:
    """The pages of one host by state, and its failures by kind.

    Only the first `looked_at` pages were examined. If the host has more pages, `is_exact` is False.
    """

    by_state: Mapping[str, int]
    failures: Sequence[HostFailure]
    top: Sequence[HostTopPage]
    looked_at: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class StoredRobots:
    """The robots.txt of a host as last fetched; `text` is None unless the host served one."""

    status: int | None
    fetched_at: float
    expires_at: float
    text: bytes | None


@dataclass(frozen=True, slots=True)
class HostRobots:
    """The robots.txt of a host for display.

    `text` is its beginning, None unless the host served one; `is_whole` tells whether it is complete.
    """

    text: str | None
    is_whole: bool
    sitemaps: Sequence[str]
    sitemaps_left_out: int


@dataclass(frozen=True, slots=True)
class SlowedReport:
    """A URL shape whose pages are visited after all others of their host. The table `slowed` explains the fields."""

    host: str
    shape: str
    suspicion: str
    visits: int
    in_vain: int
    earned: int
    left_waiting: int


@dataclass(frozen=True, slots=True)
class StoredHost:
    """A host as stored, with flags as 0 or 1.

    The robots fields are None if robots.txt was never fetched. `has_robots_text` tells whether the host served a
    robots.txt, see `robots_text` of the reader. `crawl_delay` is in seconds, exactly as robots.txt demands.
    """

    number: int
    url: str
    site: str
    next_fetch: float
    rest_seconds: float
    failures: int
    pages_fetched: int
    is_given_up: int
    robots_status: int | None
    robots_expires_at: float | None
    has_robots_text: int | None
    crawl_delay: float | None


@dataclass(frozen=True, slots=True)
class SlowedShape:
    """A URL shape that seems to produce endless URLs. The table `slowed` explains the fields."""

    host: int
    shape: str
    suspicion: str
    visits: int
    in_vain: int
    earned: int
    left_waiting: int
