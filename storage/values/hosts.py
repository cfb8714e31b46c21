"""Hosts as the store tells of them. Plain values, no behaviour; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hinterland.storage.values.pages import HostTopPage, NamedPage

HOST_ORDERS = ("pages", "failures", "rest", "name")
"""How lists of hosts can be ordered: by visits, failures in a row, the time of the next fetch, or URL."""


@dataclass(frozen=True, slots=True)
class HostStateRecord:
    """How a host stands after a visit; times in epoch seconds."""

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
class Host:
    """A host and how politely it is to be treated; the robots fields are None if robots.txt was never fetched."""

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
    """outcome, status: what came of the visits; pages: to how many; example, detail: of one of them."""

    outcome: str
    status: int | None
    pages: int
    example: NamedPage
    detail: str


@dataclass(frozen=True, slots=True)
class HostPages:
    """The pages of one host by state and its failures by kind. is_exact: False if only the first `looked_at` pages
    were looked at, since it has more.
    """

    by_state: Mapping[str, int]
    failures: Sequence[HostFailure]
    top: Sequence[HostTopPage]
    looked_at: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class StoredRobots:
    """The robots.txt of a host as last fetched. text: None unless the host gave one."""

    status: int | None
    fetched_at: float
    expires_at: float
    text: bytes | None


@dataclass(frozen=True, slots=True)
class HostRobots:
    """robots.txt as served. text: its beginning, None unless the host gave one; is_whole: nothing is left out."""

    text: str | None
    is_whole: bool
    sitemaps: Sequence[str]
    sitemaps_left_out: int


@dataclass(frozen=True, slots=True)
class SlowedReport:
    """A shape of URLs that go behind all others of their host; see the columns of its table in storage/migrations."""

    host: str
    shape: str
    suspicion: str
    visits: int
    in_vain: int
    earned: int
    left_waiting: int


@dataclass(frozen=True, slots=True)
class StoredHost:
    """A host as read back, flags as 0 or 1. The robots fields are None if its robots.txt was never fetched.
    has_robots_text: see `robots_text` of the reader; crawl_delay: as its robots.txt asks for, however long.
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
    """A shape of URLs that looks endless; see the columns of its table in storage/migrations."""

    host: int
    shape: str
    suspicion: str
    visits: int
    in_vain: int
    earned: int
    left_waiting: int
