"""How many requests and lookups may be under way: as many as there is work for, until something suffers. Pure.

Four things shrink the number of requests: a queue that grows in our own link, requests to hosts that answered before
and now time out, an event loop that is late, and, as a firm limit, what this machine has (descriptors, memory).
Pages and small answers (robots.txt, probes) have windows of their own: a thousand of these say little of how many pages
the link can carry.
Lookups have a window of their own, which shrinks when the name server leaves questions without a reply.
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
"""Seconds of queueing in our link that are fine. A home router's queue takes hundreds of milliseconds; people who share
it notice a tenth of a second (RFC 6817 allows a tenth; bursts come on top)."""
_WIDEST, _NARROWEST = 16_384, 8_192
"""Bytes of the receive window on a narrow link. Servers send 14 KB in one burst, which many at once make a queue of;
with much less than that, packets of an answer wait for each other."""
_CLEAR_SECONDS: Final = 15.0
"""Receive windows are bounded once there is a queue for a second time within so long, and widened without one. What
took places away is forgotten after it, when they are given again."""
LATE: Final = 0.05
_VERY_LATE: Final = 0.25
"""Seconds by which the event loop is late: no more requests then; fewer."""
_LATENESS_KEPT: Final = 0.8
_OUTCOMES: Final = 100
_TIMED_OUT: Final = 0.1
"""Share of the last requests to hosts that answered before: more are a sign of congestion, by loss."""

_FIRST_LOOKUPS: Final = 32
_LEAST_LOOKUPS: Final = 16
_MOST_LOOKUPS: Final = 512
SLOW_LOOKUP: Final = 1.5
"""Seconds after which a lookup holds no place any more: it waits for servers that may never reply, and asks little."""
_UNANSWERED: Final = 0.5
"""Share of the last lookups without a reply. Of the names on the web 1 to 3 % get none; where only these are left to be
tried again, they are a larger share, and where the name server is overrun, nearly all."""


class Congestion(Enum):
    """Why there are fewer requests than there were."""

    LINK = auto()  # packets wait in the queue of our link
    LOSS = auto()  # requests to hosts that answered before time out
    LATENESS = auto()  # the event loop is late


class Flow:
    """Mutable; times are seconds of one clock that never goes back. most_requests: what this machine can carry."""

    def __init__(self, most_requests: int) -> None:
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
        """Held by visits to pages, each from its request until the answer has come."""
        self.tasks = InFlightLimit[Visit](self._tasks)
        """Held in the same way by visits for a robots.txt or another small answer."""
        self.lookups = InFlightLimit[Visit](self._lookups)
        self.delay = QueueingDelay()
        self.lookup_record = LookupRecord()
        self.congestion: Congestion | None = None
        """What took places away from the requests last; None if nothing has."""
        self.lateness = 0.0
        """Seconds by which the event loop was late, averaged over the last half second or so."""
        self.receive_window: int | None = None
        """Bytes that a server may send ahead in one answer, so that the answers of many do not come in bursts that fill
        the queue of a narrow link; None as long as no queue was seen."""
        self._queued_at = -inf
        self._congested_at = -inf
        self._timed_out: deque[bool] = deque(maxlen=_OUTCOMES)
        self._unanswered: deque[bool] = deque(maxlen=_OUTCOMES)

    # ---------------------------------------------------------------- places

    def begins(self, visit: Visit) -> None:
        """A visit takes its place."""
        if visit.host_task is None:
            self.requests.take(visit)
        elif visit.is_lookup:
            self.lookups.take(visit)
        else:
            self.tasks.take(visit)

    def ends(self, visit: Visit) -> None:
        """A visit gives its place back; nothing happens if it has done so before."""
        for places in (self.requests, self.tasks, self.lookups):
            places.give_back(visit)

    def has_room(self) -> bool:
        """Whether a visit may begin, whatever it is for."""
        return self.requests.has_free() and self.tasks.has_free()

    def served(self, visit: Visit, now: float) -> None:
        """The answer to the request of a visit has come: its place is free."""
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
        """A request was answered. rtt: the last round-trip time of its connection, None if unknown."""
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
        """There is a queue in our link: if there was one before, let servers send less ahead."""
        if now - self._queued_at <= _CLEAR_SECONDS:
            narrower = _WIDEST if self.receive_window is None else self.receive_window // 2
            self.receive_window = max(narrower, _NARROWEST)
        self._queued_at = now

    def timed_out(self, host: str, now: float) -> None:
        """A request got no connection or no answer in time."""
        if not self.delay.knows(host):
            return  # it may be dead, which says nothing of the network
        self._timed_out.append(True)
        if sum(self._timed_out) > _TIMED_OUT * _OUTCOMES:
            self._shrink(0.7, Congestion.LOSS, now)
            self._timed_out.clear()

    def was_late(self, seconds: float, now: float) -> None:
        """The event loop ran a timer this late; to be called ten times a second."""
        self.lateness = _LATENESS_KEPT * self.lateness + (1 - _LATENESS_KEPT) * max(seconds, 0.0)
        if self.lateness > _VERY_LATE:
            self._shrink(0.8, Congestion.LATENESS, now, ends_start=False)

    def _shrink(self, factor: float, why: Congestion, now: float, *, ends_start: bool = True) -> bool:
        """Take places away from the requests, unless that was done a moment ago; whether it was done."""
        has_shrunk = self._requests.shrink(factor, now, ends_start=ends_start)
        self._tasks.shrink(factor, now, ends_start=ends_start)
        if has_shrunk:
            self.congestion, self._congested_at = why, now
        return has_shrunk

    # ---------------------------------------------------------------- lookups

    def looks_up(self, host: int, now: float) -> None:
        """The name of a host is about to be looked up; `looked_up` is to be told of its end."""
        self.lookup_record.begins(host, now)

    def looked_up(self, host: int, answer: LookupAnswer | None, now: float) -> None:
        """A lookup has ended. answer: None if there was nothing to look up."""
        self.lookup_record.ends(host, answer, now)
        is_silence = answer is LookupAnswer.SILENT
        self._unanswered.append(is_silence)
        if sum(self._unanswered) > _UNANSWERED * _OUTCOMES:
            self._lookups.shrink(0.5, now)
            self._unanswered.clear()
        elif not is_silence and self.lookups.are_used_up:
            self._lookups.grow()
