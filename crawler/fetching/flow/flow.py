"""Limits the requests and lookups in flight. The limits grow with the work until something is overloaded. Pure.

Four things reduce the number of requests: a growing queue in the local link, time-outs at hosts that answered before, a
late event loop and, as a hard limit, the resources of this machine (descriptors, memory).

Pages and small answers (robots.txt, probes) have separate windows, since a thousand small answers say little about how
many pages the link can carry. Lookups have a window, too; it shrinks when the name server leaves queries without a
reply.
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
"""Acceptable queueing delay in the local link, in seconds. A home router's queue takes hundreds of milliseconds; people
who share it notice a tenth of a second (RFC 6817 allows a tenth; bursts come on top)."""
_WIDEST, _NARROWEST = 16_384, 8_192
"""Bounds of the receive window on a narrow link, in bytes. Servers send 14 KB in one burst, and many simultaneous
bursts make a queue; with a much smaller window, packets of one answer would wait for each other."""
_CLEAR_SECONDS: Final = 15.0
"""Receive windows are limited if a queue is seen twice within this time, and widened if no queue was seen for this
long. After this time without new congestion, requests may grow again."""
LATE: Final = 0.05
"""If the event loop is late by this many seconds, the number of requests no longer grows."""
_VERY_LATE: Final = 0.25
"""If the event loop is late by this many seconds, the number of requests is reduced."""
_LATENESS_KEPT: Final = 0.8
_OUTCOMES: Final = 100
_TIMED_OUT: Final = 0.1
"""Share of time-outs among the last requests to hosts that answered before. A larger share is a sign of congestion,
which loses packets."""

_FIRST_LOOKUPS: Final = 32
_LEAST_LOOKUPS: Final = 16
_MOST_LOOKUPS: Final = 512
SLOW_LOOKUP: Final = 1.5
"""Seconds after which a lookup no longer counts as in flight: it is waiting for servers that may never reply, and sends
little."""
_UNANSWERED: Final = 0.5
"""Share of recent lookups without a reply above which the name server counts as overloaded. Of the names on the web 1
to 3 % get no reply. The share is larger when only such names are left to retry, and nearly 1 when the name server is
overloaded."""


class Congestion(Enum):
    """The reason why the number of requests in flight was reduced."""

    LINK = auto()  # packets wait in the queue of our link
    LOSS = auto()  # requests to hosts that answered before time out
    LATENESS = auto()  # the event loop is late


class Flow:
    """The limits of requests and lookups in flight. Mutable; times are seconds of a clock that never goes back."""

    def __init__(self, most_requests: int) -> None:
        """Start with small windows; `most_requests` is the maximum for this machine."""
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
            doubles=False,  # thousands of requests together would fill the link before anything is known about it
            step=8.0,
            share=0.05,
            pause_seconds=1.5,
        )
        self._lookups = Window(first=_FIRST_LOOKUPS, least=_LEAST_LOOKUPS, most=_MOST_LOOKUPS, step=16.0)
        self.requests = InFlightLimit[Visit](self._requests)
        """Visits to pages, each from its request until its answer has arrived."""
        self.tasks = InFlightLimit[Visit](self._tasks)
        """Visits for a robots.txt or another small answer, each from its request until its answer has arrived."""
        self.lookups = InFlightLimit[Visit](self._lookups)
        self.delay = QueueingDelay()
        self.lookup_record = LookupRecord()
        self.congestion: Congestion | None = None
        """The last cause that reduced the requests in flight; None if there was none."""
        self.lateness = 0.0
        """Seconds by which the event loop was late, averaged over about the last half second."""
        self.receive_window: int | None = None
        """Bytes that a server may send unread in one answer, so that simultaneous answers do not arrive in bursts that
        fill the queue of a narrow link; None while no queue was seen."""
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
        """Stop counting a visit as in flight; does nothing if that was done before."""
        self._limit_of(visit).give_back(visit)

    def has_room(self) -> bool:
        """Return whether a visit of any kind may begin, to a page or for a small answer."""
        return self.requests.has_free() and self.tasks.has_free()

    def served(self, visit: Visit, now: float) -> None:
        """Note that the answer to a visit's request has arrived; another request may begin now."""
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
            is_clear = delay > 2 * TARGET_DELAY  # a small delay may be chance, which must not end the start
            if self._shrink(1.0 - 0.5 * excess, Congestion.LINK, now, ends_start=is_clear):
                self._queued(now)
        elif self.receive_window is not None and now - self._queued_at > _CLEAR_SECONDS:
            self._queued_at = now
            self.receive_window = None if self.receive_window >= _WIDEST else self.receive_window * 2

    def _queued(self, now: float) -> None:
        """Note a queue in the local link; if there was one recently, reduce the receive windows."""
        if now - self._queued_at <= _CLEAR_SECONDS:
            narrower = _WIDEST if self.receive_window is None else self.receive_window // 2
            self.receive_window = max(narrower, _NARROWEST)
        self._queued_at = now

    def timed_out(self, host: str, now: float) -> None:
        """Note that a request got no connection or no answer within its time limit."""
        if not self.delay.knows(host):
            return  # the host may be dead, which says nothing about the network
        self._timed_out.append(True)
        if sum(self._timed_out) > _TIMED_OUT * _OUTCOMES:
            self._shrink(0.7, Congestion.LOSS, now)
            self._timed_out.clear()

    def was_late(self, seconds: float, now: float) -> None:
        """Note by how many seconds the event loop ran a timer late; call this ten times a second."""
        self.lateness = _LATENESS_KEPT * self.lateness + (1 - _LATENESS_KEPT) * max(seconds, 0.0)
        if self.lateness > _VERY_LATE:
            self._shrink(0.8, Congestion.LATENESS, now, ends_start=False)

    def _shrink(self, factor: float, why: Congestion, now: float, *, ends_start: bool = True) -> bool:
        """Reduce the number of requests, unless it was reduced a moment ago; return whether it was reduced now."""
        has_shrunk = self._requests.shrink(factor, now, ends_start=ends_start)
        self._tasks.shrink(factor, now, ends_start=ends_start)
        if has_shrunk:
            self.congestion, self._congested_at = why, now
        return has_shrunk

    # ---------------------------------------------------------------- lookups

    def looks_up(self, host: int, now: float) -> None:
        """Note that the lookup of a host's name begins; `looked_up` must follow."""
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
