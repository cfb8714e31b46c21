"""Finds what bounds a crawl at a moment: the one thing that would have to improve for the crawl to be faster. Pure.

Causes that stop all visits are checked first, then causes that keep further visits from beginning. If more visits could
begin and none does, every host is somewhere between two visits, and the bound is the stage that most hosts are in
(Little's law).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from hinterland.crawler.fetching.flow.flow import LATE, TARGET_DELAY, Congestion
from hinterland.crawler.fetching.flow.lookup_record import LookupsNow
from hinterland.crawler.frontier.visits import FrontierCounts

_SURE: Final = 5
"""Number of lookups in a row without a result that point to the name server; if there are fewer, the names may be at
fault."""
_MANY: Final = 500
"""Number of visits. If fewer visits are allowed, transactions are small, so visits wait for the disk because of that
setting."""


class Bound(StrEnum):
    """The possible bounds of a crawl, by their names in stores and programs."""

    NETWORK_DOWN = "network_down"  # nothing can be reached
    NAME_SERVER = "name_server"  # the name server does not reply, or finds no name
    PARSERS = "parsers"
    DISK = "disk"
    SETTING = "max_in_flight"
    MACHINE = "machine"  # open files or memory
    PROCESSOR = "processor"
    LINK = "link"  # our own link: packets queue in it
    LOSS = "loss"  # requests to hosts that answered before time out
    GROWING = "growing"  # each answer raises the number of requests allowed
    NAMES = "names"
    CONNECTING = "connecting"
    SERVERS = "servers"  # the time until they begin to answer
    BODIES = "bodies"  # the time until bodies have arrived
    POLITENESS = "politeness"
    ADDRESSES = "addresses"  # politeness to IP addresses that hosts share
    FAILURES = "failures"  # all hosts with waiting pages failed last time, and rest for that
    RETRIES = "retries"  # all waiting pages have failed before
    NOTHING = "nothing"  # no page waits


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """The number of requests in each phase; see PhaseCounts of the fetcher."""

    naming: int = 0
    connecting: int = 0
    handshaking: int = 0
    awaiting_first_byte: int = 0
    reading: int = 0
    queued: int = 0

    @property
    def under_way(self) -> int:
        """The number of requests in all phases."""
        return self.naming + self.connecting + self.handshaking + self.awaiting_first_byte + self.reading + self.queued


@dataclass(frozen=True, slots=True)
class LoadSample:
    """The load of a crawl at a moment.

    `visits` counts visits in progress, without lookups; `max_visits` is its limit. `requests` counts the visits with a
    request in flight; `places` is its limit. `are_used_up` says that a request was held back because the limit was
    reached. `are_at_most` says that this limit cannot grow, and `is_by_setting` that a setting is the reason.
    `congestion` is the last cause that reduced the limit. `names_alone_fail` says that the network seems to be down,
    but only lookups have failed. `are_hosts_failing` says that no visit is under way, and that the last visit to every
    host with something to visit failed.
    """

    hosts: FrontierCounts
    visits: int = 0
    max_visits: int = 1
    requests: int = 0
    places: int = 1
    are_used_up: bool = False
    are_at_most: bool = False
    is_by_setting: bool = True
    congestion: Congestion | None = None
    lookups_under_way: int = 0
    lookups: LookupsNow = field(default_factory=LookupsNow)
    phases: RequestCounts = field(default_factory=RequestCounts)
    queueing_seconds: float | None = None
    late_seconds: float = 0.0
    parser_backlog: int = 0
    are_parsers_full: bool = False
    is_writer_full: bool = False
    is_network_down: bool = False
    names_alone_fail: bool = False
    are_hosts_failing: bool = False

    @property
    def are_names_lost(self) -> bool:
        """Whether several lookups in a row got no result from the name server."""
        lost = self.lookups.failed + self.lookups.silent
        return lost == self.lookups.last and lost >= (1 if self.names_alone_fail else _SURE)

    @property
    def hosts_open(self) -> int:
        """The number of hosts that have something to visit now, and whose names are known."""
        return self.hosts.hosts_ready - self.hosts.hosts_unnamed

    @property
    def has_only_retries(self) -> bool:
        """Whether pages wait that can be visited, and all of them have failed before."""
        return 0 < self.hosts.waiting - self.hosts.stranded <= self.hosts.retrying


def bound_of(sample: LoadSample) -> Bound:
    """Return what bounds a crawl under this load."""
    if sample.is_network_down and not sample.names_alone_fail:
        return Bound.NETWORK_DOWN
    if sample.are_names_lost:
        return Bound.NAME_SERVER
    if sample.is_network_down:
        return Bound.NETWORK_DOWN
    return _stopping(sample) or _limiting(sample) or _taking_time(sample)


def _stopping(sample: LoadSample) -> Bound | None:
    """Return the bound that prevents visits from beginning, or delays everything; None if there is none."""
    if sample.are_parsers_full:
        return Bound.PARSERS
    if sample.is_writer_full:
        return Bound.DISK
    if sample.visits >= sample.max_visits:
        answered = sample.visits - sample.requests
        if 2 * answered <= sample.visits:
            return Bound.SETTING
        if 2 * sample.parser_backlog > answered:  # otherwise most wait to be written
            return Bound.PARSERS
        return Bound.DISK if sample.max_visits >= _MANY else Bound.SETTING
    return Bound.PROCESSOR if sample.late_seconds > LATE else None


def _limiting(sample: LoadSample) -> Bound | None:
    """Return the bound that keeps hosts waiting although they could be visited; None if there is none."""
    if not sample.are_used_up or sample.hosts_open <= 0:
        return None
    if sample.are_at_most:
        return Bound.SETTING if sample.is_by_setting else Bound.MACHINE
    match sample.congestion:
        case Congestion.LINK:
            return Bound.LINK
        case Congestion.LOSS:
            return Bound.LOSS
        case Congestion.LATENESS:
            return Bound.PROCESSOR
    return Bound.GROWING


def _taking_time(sample: LoadSample) -> Bound:
    """Return the bound that most hosts are waiting for."""
    hosts, phases = sample.hosts, sample.phases
    waiting = {
        Bound.NAMES: hosts.hosts_unnamed + sample.lookups_under_way + phases.naming,
        Bound.CONNECTING: phases.connecting + phases.handshaking,
        Bound.SERVERS: phases.awaiting_first_byte,
        Bound.BODIES: phases.reading + phases.queued,
        Bound.ADDRESSES: max(sample.hosts_open, 0),
        Bound.POLITENESS: hosts.hosts_resting,
    }
    most = max(waiting, key=lambda bound: waiting[bound])
    if not waiting[most]:
        if hosts.waiting > hosts.stranded and sample.visits > sample.requests:  # all bodies have come
            return Bound.PARSERS if sample.parser_backlog else Bound.DISK
        return Bound.RETRIES if sample.has_only_retries else Bound.NOTHING
    if most is Bound.POLITENESS and sample.has_only_retries:
        return Bound.RETRIES
    if most is Bound.POLITENESS and sample.are_hosts_failing:
        return Bound.FAILURES
    queueing = sample.queueing_seconds or 0.0
    return Bound.LINK if most in (Bound.SERVERS, Bound.BODIES) and queueing > TARGET_DELAY else most
