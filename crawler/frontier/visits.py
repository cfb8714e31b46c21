"""The values that the frontier returns and receives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class HostTaskKind(Enum):
    """The kind of a host task.

    RESOLVE looks up the host's name, ROBOTS fetches a robots.txt, PROBE tests whether the host answers, FILE is a
    request of a feature, and EXTRA_REQUEST is a request outside the visits.
    """

    RESOLVE = auto()
    ROBOTS = auto()
    PROBE = auto()
    FILE = auto()
    EXTRA_REQUEST = auto()


@dataclass(frozen=True, slots=True)
class HostTask:
    """A task at a host other than fetching a page.

    `owner` is the host that the task is for. If its robots.txt redirects, the task is at another host: `url` is where
    the file has moved to, and `redirects` the number of redirects so far. Before that, `url` is "". A PROBE only tests
    whether the owner answers: `page` is a page that it has answered before, or -1 to request its robots.txt. A FILE is
    a request to `url` for the feature named `asker`; with `needs_robots` it waits until the host's robots.txt is known.
    An EXTRA_REQUEST is for something other than the host's pages, such as a script that a page of another host needs.
    """

    kind: HostTaskKind
    owner: int
    url: str = ""
    redirects: int = 0
    page: int = -1
    asker: str = ""
    needs_robots: bool = False


@dataclass(frozen=True, slots=True)
class Visit:
    """Permission to make one request to a host now: for a page, or for a task at it (then `page` is -1)."""

    host: int
    page: int
    host_task: HostTask | None = None

    @property
    def is_lookup(self) -> bool:
        """Whether the visit is only the lookup of a host name."""
        return self.host_task is not None and self.host_task.kind is HostTaskKind.RESOLVE


@dataclass(frozen=True, slots=True)
class Wait:
    """Says that nothing may be visited before `until`, in epoch seconds.

    `until` is inf if nothing can be visited before a visit under way has ended.
    """

    until: float


@dataclass(frozen=True, slots=True)
class Exhausted:
    """Says that no visit is under way, and that no waiting page can be visited any more."""


class RobotsState(Enum):
    """Whether a host's robots.txt is known.

    UNKNOWN means that it must still be read; UNREAD, that it could not be read and the next attempt is not due yet.
    """

    KNOWN = auto()
    UNKNOWN = auto()
    UNREAD = auto()


@dataclass(frozen=True, slots=True)
class RobotsKnown:
    """The robots.txt was read, or certainly does not exist. The result is valid until `until`, in epoch seconds."""

    until: float
    crawl_delay: float | None = None


@dataclass(frozen=True, slots=True)
class RobotsMoved:
    """The robots.txt redirects to `url` on `host`."""

    host: int
    url: str


@dataclass(frozen=True, slots=True)
class RobotsUnreachable:
    """The robots.txt got no conclusive answer: everything is disallowed until a retry succeeds.

    `was_heard` says that the host answered, although with an error.
    """

    retry_after: float | None = None
    was_heard: bool = False


@dataclass(frozen=True, slots=True)
class HostPoliteness:
    """The part of a host's state that the store keeps, so that rests survive a restart; times in epoch seconds."""

    next_fetch: float = 0.0
    rest: float = 0.0
    failures: int = 0
    fetched: int = 0
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class FrontierCounts:
    """The number of pages and hosts in each state.

    `waiting` counts all waiting pages. `stranded` counts waiting pages that can no longer be visited, because their
    host is given up or has reached its page limit; `retrying` counts waiting pages that are retries. `hosts_ready`
    counts hosts that may be visited now, and `hosts_unnamed` the part of them with names that must be looked up first.
    """

    waiting: int
    stranded: int
    retrying: int
    in_flight: int
    hosts: int
    hosts_ready: int
    hosts_unnamed: int
    hosts_resting: int
    hosts_busy: int
    hosts_given_up: int
