"""What the frontier hands out, and what it is told and asked of hosts: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class HostTaskKind(Enum):
    RESOLVE = auto()
    ROBOTS = auto()
    PROBE = auto()
    FILE = auto()
    EXTRA_REQUEST = auto()


@dataclass(frozen=True, slots=True)
class HostTask:
    """Something to do at a host besides fetching a page.

    owner is the host whose robots.txt is wanted; url and redirects say where it has moved to, if a redirect
    led away from the owner's own /robots.txt (url is "" before that). A PROBE only asks whether the owner answers:
    page is one that it has answered before, -1 for its robots.txt. A FILE beside the pages is at url. An EXTRA_REQUEST
    is for something besides the host's pages, such as a script that a page of another host needs.
    """

    kind: HostTaskKind
    owner: int
    url: str = ""
    redirects: int = 0
    page: int = -1


@dataclass(frozen=True, slots=True)
class Visit:
    """Permission to make one request to a host now: for a page, or for a task at it (then page is -1)."""

    host: int
    page: int
    host_task: HostTask | None = None

    @property
    def is_lookup(self) -> bool:
        """Whether it only looks a name up."""
        return self.host_task is not None and self.host_task.kind is HostTaskKind.RESOLVE


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing may be visited before `until` (seconds; inf when all depends on visits under way)."""

    until: float


@dataclass(frozen=True, slots=True)
class Exhausted:
    """Nothing is under way, and nothing that waits can be visited any more."""


class RobotsState(Enum):
    """What is known of a host's robots.txt now. UNREAD: it could not be read, and is not to be asked for yet."""

    KNOWN = auto()
    UNKNOWN = auto()
    UNREAD = auto()


@dataclass(frozen=True, slots=True)
class RobotsKnown:
    """The robots.txt was read, or its absence is certain; valid until `until`."""

    until: float
    crawl_delay: float | None = None


@dataclass(frozen=True, slots=True)
class RobotsMoved:
    """The robots.txt redirects to `url` on `host`."""

    host: int
    url: str


@dataclass(frozen=True, slots=True)
class RobotsUnreachable:
    """No answer that says anything: everything is disallowed, and it will be tried again.

    was_heard: the host did answer, if only with an error.
    """

    retry_after: float | None = None
    was_heard: bool = False


@dataclass(frozen=True, slots=True)
class HostPoliteness:
    """What a store keeps of a host so that its delays survive a restart. Times in epoch seconds."""

    next_fetch: float = 0.0
    rest: float = 0.0
    failures: int = 0
    fetched: int = 0
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class FrontierCounts:
    """hosts_ready: those that may be visited now, hosts_unnamed of which wait for their name to be looked up. waiting:
    all that wait, of which `stranded` can no longer be visited: their host is given up or has
    reached its page limit. retrying: waiting for their next try.
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
