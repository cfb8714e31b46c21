"""What bounds a crawl at a moment: the one thing that would have to be better for it to be faster. Pure.

First comes what stops all visits, then what lets no more begin. If more could begin and none does, all hosts are
somewhere between two visits, and where most of them are is what takes the time (Little's law).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from hinterland.crawler.fetching.flow.flow import LATE, TARGET_DELAY, Congestion
from hinterland.crawler.fetching.flow.lookup_record import LookupsNow
from hinterland.crawler.frontier.visits import FrontierCounts

_SURE: Final = 5
"""Lookups in a row that bring nothing: with fewer, the names themselves may be to blame."""
_MANY: Final = 500
"""Visits: if fewer are allowed, transactions are small, and it is the setting that makes them wait for the disk."""


class Bound(StrEnum):
    """By the names that stores and programs know them by."""

    NETWORK_DOWN = "network_down"  # nothing can be reached
    NAME_SERVER = "name_server"  # it does not reply, or finds no name
    PARSERS = "parsers"
    DISK = "disk"
    SETTING = "max_in_flight"
    MACHINE = "machine"  # open files or memory
    PROCESSOR = "processor"
    LINK = "link"  # ours: packets queue in it
    LOSS = "loss"  # requests to hosts that answered before time out
    GROWING = "growing"  # there may be more requests with each answer
    NAMES = "names"
    CONNECTING = "connecting"
    SERVERS = "servers"  # the time until they begin to answer
    BODIES = "bodies"  # the time until these have come
    POLITENESS = "politeness"
    ADDRESSES = "addresses"  # politeness to those that hosts share
    RETRIES = "retries"  # all that waits has failed before
    NOTHING = "nothing"  # nothing waits


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """How many requests are in each phase; see PhaseCounts of the fetcher."""

    naming: int = 0
    connecting: int = 0
    handshaking: int = 0
    awaiting_first_byte: int = 0
    reading: int = 0
    queued: int = 0

    @property
    def under_way(self) -> int:
        return self.naming + self.connecting + self.handshaking + self.awaiting_first_byte + self.reading + self.queued


@dataclass(frozen=True, slots=True)
class LoadSample:
    """How a crawl stands at a moment.

    visits: under way, but for lookups, of at most max_visits. requests: of them, those that hold a place. are_at_most:
    there cannot be more places; is_by_setting: since the user says so. congestion: what took places away last.
    names_alone_fail: while the network is down, nothing but lookups has failed.
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

    @property
    def are_names_lost(self) -> bool:
        """Whether the name server brought nothing, one lookup after another."""
        lost = self.lookups.failed + self.lookups.silent
        return lost == self.lookups.last and lost >= (1 if self.names_alone_fail else _SURE)

    @property
    def hosts_open(self) -> int:
        """Hosts that may be visited now, as far as they themselves are concerned."""
        return self.hosts.hosts_ready - self.hosts.hosts_unnamed


def bound_of(sample: LoadSample) -> Bound:
    """Return what bounds a crawl that stands so."""
    if sample.is_network_down and not sample.names_alone_fail:
        return Bound.NETWORK_DOWN
    if sample.are_names_lost:
        return Bound.NAME_SERVER
    if sample.is_network_down:
        return Bound.NETWORK_DOWN
    return _stopping(sample) or _limiting(sample) or _taking_time(sample)


def _stopping(sample: LoadSample) -> Bound | None:
    """What lets no visit begin, or nothing be done in time."""
    if sample.are_parsers_full:
        return Bound.PARSERS
    if sample.is_writer_full:
        return Bound.DISK
    if sample.visits >= sample.max_visits:
        answered = sample.visits - sample.requests
        if 2 * answered <= sample.visits:
            return Bound.SETTING
        if 2 * sample.parser_backlog > answered:  # else most wait to be written
            return Bound.PARSERS
        return Bound.DISK if sample.max_visits >= _MANY else Bound.SETTING
    return Bound.PROCESSOR if sample.late_seconds > LATE else None


def _limiting(sample: LoadSample) -> Bound | None:
    """What keeps hosts waiting that could be visited."""
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
    """What most hosts are waiting for."""
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
        return Bound.NOTHING
    if most is Bound.POLITENESS and hosts.retrying and hosts.retrying >= hosts.waiting - hosts.stranded:
        return Bound.RETRIES
    queueing = sample.queueing_seconds or 0.0
    return Bound.LINK if most in (Bound.SERVERS, Bound.BODIES) and queueing > TARGET_DELAY else most
