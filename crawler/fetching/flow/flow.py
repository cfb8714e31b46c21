"""How many requests and lookups may be in flight: as many as there is work for, until something suffers. Pure.

Four things reduce the number of requests: a growing queue in our own link, time-outs at hosts that answered before, an
event loop that is late, and, as a firm limit, what this machine has (descriptors, memory).

Pages and small answers (robots.txt, probes) have windows of their own: a thousand small answers say little about how
many pages the link can carry. Lookups have a window of their own, too, which shrinks when the name server leaves
queries without a reply.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from math import inf
from typing import Final

from hinterland.crawler.fetching.flow.delays import QueueingDelay
from hinterland.crawler.fetching.flow.in_flight_limit import InFlightLimit
from hinterland.crawler.fetching.flow.lookup_record import LookupAnswer, LookupRecord
from hinterland.crawler.fetching.flow.window import Window
from hinterland.crawler.frontier.visits import Visit

FIRST_REQUESTS: Final = 8
_LEAST_REQUESTS: Final = 3
FIRST_TASKS: Final = 48
_LEAST_TASKS: Final = 8
TARGET_DELAY: Final = 0.03
"""Seconds of queueing in our link that are acceptable. A home router's queue takes hundreds of milliseconds; people who
share it notice a tenth of a second (RFC 6817 allows a tenth; bursts come on top)."""
_WIDEST, _NARROWEST = 16_384, 8_192
"""Bytes of the receive window on a narrow link. Servers send 14 KB in one burst, and many bursts at once make a queue;
with a much smaller window, packets of one answer wait for each other."""
_CLEAR_SECONDS: Final = 15.0
"""Receive windows are limited once there is a queue for a second time within this time, and widened when there was
none. A past cause of congestion is forgotten after this time, when requests may grow again."""
LATE: Final = 0.05
"""Seconds by which the event loop is late: from here on, no more requests."""
_VERY_LATE: Final = 0.25
"""Seconds by which the event loop is late: from here on, fewer requests."""
_LATENESS_KEPT: Final = 0.8
_OUTCOMES: Final = 100
_TIMED_OUT: Final = 0.1
"""Share of time-outs among the last requests to hosts that answered before; more are a sign of congestion, by loss."""

_FIRST_LOOKUPS: Final = 32
_LEAST_LOOKUPS: Final = 16
_MOST_LOOKUPS: Final = 512
SLOW_LOOKUP: Final = 1.5
"""Seconds after which a lookup no longer counts as in flight: it waits for servers that may never reply, and sends
little."""
_UNANSWERED: Final = 0.5
"""Share of the last lookups without a reply that means an overloaded name server. Of the names on the web 1 to 3 % get
no reply; where only such names are left to retry, their share is larger, and where the name server is overloaded,
nearly all get none."""


class Congestion(Enum):
    """Why fewer requests may be in flight than before."""

    LINK = auto()  # packets wait in the queue of our link
    LOSS = auto()  # requests to hosts that answered before time out
    LATENESS = auto()  # the event loop is late


class Flow:
    """The limits of requests and lookups in flight. Mutable; times are seconds of one clock that never goes back."""

    def __init__(self, most_requests: int) -> None:
        """Start with small windows; `most_requests` is what this machine can carry."""
        self._requests = Window(
            first=FIRST_REQUESTS,
            least=_LEAST_REQUESTS,
            most=most_requests,
            step=2.0,
            share=0.1,
            pause_seconds=1.5,
        )
        self._tasks = Window(
            first=FIRST_TASKS,
            least=_LEAST_TASKS,
            most=most_requests,
            doubles=False,  # thousands at once would fill the link before anything is known of it
            step=8.0,
            share=0.05,
            pause_seconds=1.5,
        )
        self._lookups = Window(first=_FIRST_LOOKUPS, least=_LEAST_LOOKUPS, most=_MOST_LOOKUPS, step=16.0)
        self.requests = InFlightLimit[Visit](self._requests)
        """Visits to pages, each from its request until the answer has come."""
        self.tasks = InFlightLimit[Visit](self._tasks)
        """Visits for a robots.txt or another small answer, in the same way."""
        self.lookups = InFlightLimit[Visit](self._lookups)
        self.delay = QueueingDelay()
        self.lookup_record = LookupRecord()
        self.congestion: Congestion | None = None
        """What last reduced the requests in flight; None if nothing has."""
        self.lateness = 0.0
        """Seconds by which the event loop was late, averaged over about the last half second."""
        self.receive_window: int | None = None
        """Bytes that a server may send ahead in one answer, so that the answers of many do not arrive in bursts that
        fill the queue of a narrow link; None as long as no queue was seen."""
        self._queued_at = -inf
        self._congested_at = -inf
        self._timed_out: deque[bool] = deque(maxlen=_OUTCOMES)
        self._unanswered: deque[bool] = deque(maxlen=_OUTCOMES)

    # ---------------------------------------------------------------- in flight

    def begins(self, visit: Visit) -> None:
        """Count a visit as in flight."""
        self._limit_of(visit).take(visit)

    def _limit_of(self, visit: Visit) -> InFlightLimit[Visit]:
        if visit.host_task is None:
            return self.requests
        return self.lookups if visit.is_lookup else self.tasks

    def ends(self, visit: Visit) -> None:
        """Count a visit as in flight no more; does nothing if that was done before."""
        self._limit_of(visit).give_back(visit)

    def has_room(self) -> bool:
        """Return whether a visit may begin, whatever it is for."""
        return self.requests.has_free() and self.tasks.has_free()

    def served(self, visit: Visit, now: float) -> None:
        """Note that the answer to the request of a visit has come, so that another may begin."""
        is_page = visit.host_task is None
        places, window = (self.requests, self._requests) if is_page else (self.tasks, self._tasks)
        if places.give_back(visit) and places.are_used_up and self._may_grow(now):
            window.grow()
            if is_page and now - self._congested_at > _CLEAR_SECONDS:
                self.congestion = None

    def _may_grow(self, now: float) -> bool:
        delay = self.delay.seconds(now)
        return self.lateness < LATE and (delay is None or delay < TARGET_DELAY)

    # ---------------------------------------------------------------- requests

    def answered(self, host: str, *, rtt: float | None, now: float) -> None:
        """Note that a request was answered.

        `rtt` is the last round-trip time of its connection in seconds, None if unknown.
        """
        self._timed_out.append(False)
        if rtt is None:
            return
        self.delay.measured(host, rtt, now)
        delay = self.delay.seconds(now)
        if delay is not None and delay > TARGET_DELAY:
            excess = min((delay - TARGET_DELAY) / (4 * TARGET_DELAY), 1.0)
            is_clear = delay > 2 * TARGET_DELAY  # else it may be chance, which must not end the start
            if self._shrink(1.0 - 0.5 * excess, Congestion.LINK, now, ends_start=is_clear):
                self._queued(now)
        elif self.receive_window is not None and now - self._queued_at > _CLEAR_SECONDS:
            self._queued_at = now
            self.receive_window = None if self.receive_window >= _WIDEST else self.receive_window * 2

    def _queued(self, now: float) -> None:
        """Note a queue in our link; if there was one before, let servers send less ahead."""
        if now - self._queued_at <= _CLEAR_SECONDS:
            narrower = _WIDEST if self.receive_window is None else self.receive_window // 2
            self.receive_window = max(narrower, _NARROWEST)
        self._queued_at = now

    def timed_out(self, host: str, now: float) -> None:
        """Note that a request got no connection or no answer in time."""
        if not self.delay.knows(host):
            return  # the host may be dead, which says nothing about the network
        self._timed_out.append(True)
        if sum(self._timed_out) > _TIMED_OUT * _OUTCOMES:
            self._shrink(0.7, Congestion.LOSS, now)
            self._timed_out.clear()

    def was_late(self, seconds: float, now: float) -> None:
        """Note how late the event loop ran a timer, in seconds; to be called ten times a second."""
        self.lateness = _LATENESS_KEPT * self.lateness + (1 - _LATENESS_KEPT) * max(seconds, 0.0)
        if self.lateness > _VERY_LATE:
            self._shrink(0.8, Congestion.LATENESS, now, ends_start=False)

    def _shrink(self, factor: float, why: Congestion, now: float, *, ends_start: bool = True) -> bool:
        """Allow fewer requests, unless that was done a moment ago; returns whether it was done."""
        has_shrunk = self._requests.shrink(factor, now, ends_start=ends_start)
        self._tasks.shrink(factor, now, ends_start=ends_start)
        if has_shrunk:
            self.congestion, self._congested_at = why, now
        return has_shrunk

    # ---------------------------------------------------------------- lookups

    def looks_up(self, host: int, now: float) -> None:
        """Note that the name of a host is about to be looked up; `looked_up` is to follow."""
        self.lookup_record.begins(host, now)

    def looked_up(self, host: int, answer: LookupAnswer | None, now: float) -> None:
        """Note that a lookup has ended; `answer` is None if there was nothing to look up."""
        self.lookup_record.ends(host, answer, now)
        is_silence = answer is LookupAnswer.SILENT
        self._unanswered.append(is_silence)
        if sum(self._unanswered) > _UNANSWERED * _OUTCOMES:
            self._lookups.shrink(0.5, now)
            self._unanswered.clear()
        elif not is_silence and self.lookups.are_used_up:
            self._lookups.grow()
