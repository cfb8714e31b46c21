"""How many requests and lookups may be under way: as many as there is work for, until something suffers. Pure.

Four things shrink the number of requests: a queue that grows in our own link, requests to hosts that answered before
and now time out, an event loop that is late, and, as a firm limit, what this machine has (descriptors, memory).
Lookups have a window of their own, which shrinks when the name server leaves questions without a reply.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from typing import Final

from crawler.flow.delays import QueueingDelay
from crawler.flow.lookup_record import LookupAnswer, LookupRecord
from crawler.flow.places import Places
from crawler.flow.window import Window
from crawler.frontier.visits import Visit

FIRST_REQUESTS: Final = 32
_LEAST_REQUESTS: Final = 4
TARGET_DELAY: Final = 0.04
"""Seconds of queueing in our link that are fine. A home router's queue takes hundreds of milliseconds, and whoever
shares it notices from a tenth of a second on (RFC 6817 allows a tenth; bursts come on top)."""
LATE: Final = 0.05
_VERY_LATE: Final = 0.25
"""Seconds by which the event loop is late: no more requests then; fewer."""
_LATENESS_KEPT: Final = 0.8
_OUTCOMES: Final = 100
_TIMED_OUT: Final = 0.1
"""Share of the last requests to hosts that answered before: more are a sign of congestion, by loss."""

_FIRST_LOOKUPS: Final = 32
_LEAST_LOOKUPS: Final = 8
_MOST_LOOKUPS: Final = 512
_UNANSWERED: Final = 0.2
"""Share of the last lookups: 1 to 3 % of the names on the web lead to name servers that never reply."""


class Congestion(Enum):
    """Why there are fewer requests than there were."""

    LINK = auto()  # packets wait in the queue of our link
    LOSS = auto()  # requests to hosts that answered before time out
    LATENESS = auto()  # the event loop is late


class Flow:
    """Mutable; times are seconds of one clock that never goes back. most_requests: what this machine can carry."""

    def __init__(self, most_requests: int) -> None:
        self._requests = Window(first=FIRST_REQUESTS, least=_LEAST_REQUESTS, most=most_requests)
        self._lookups = Window(first=_FIRST_LOOKUPS, least=_LEAST_LOOKUPS, most=_MOST_LOOKUPS, step=16.0)
        self.requests = Places[Visit](self._requests)
        """Held by visits, each from its request until the answer has come."""
        self.lookups = Places[Visit](self._lookups)
        self.delay = QueueingDelay()
        self.lookup_record = LookupRecord()
        self.congestion: Congestion | None = None
        """What took places away from the requests last; None if nothing has."""
        self.lateness = 0.0
        """Seconds by which the event loop was late, averaged over the last half second or so."""
        self._timed_out: deque[bool] = deque(maxlen=_OUTCOMES)
        self._unanswered: deque[bool] = deque(maxlen=_OUTCOMES)

    # ---------------------------------------------------------------- requests

    def answered(self, host: str, *, rtt: float | None, least_rtt: float | None, now: float) -> None:
        """A request was answered. rtt, least_rtt: of its connection, None if unknown."""
        self._timed_out.append(False)
        if rtt is not None:
            self.delay.measured(host, rtt, rtt if least_rtt is None else least_rtt, now)
        delay = self.delay.seconds(now)
        if delay is not None and delay > TARGET_DELAY:
            self._shrink(max(0.5, TARGET_DELAY / delay), Congestion.LINK, now)
        elif self.requests.are_used_up and self.lateness < LATE:
            self._requests.grow()

    def timed_out(self, host: str, now: float) -> None:
        """A request got no connection or no answer in time."""
        if not self.delay.knows(host):
            return  # it may be dead, which says nothing of the network
        self._timed_out.append(True)
        if sum(self._timed_out) > _TIMED_OUT * _OUTCOMES:
            self._shrink(0.7, Congestion.LOSS, now)
            self._timed_out.clear()

    def was_late(self, seconds: float, now: float) -> None:
        """The event loop ran a timer this late; told ten times a second."""
        self.lateness = _LATENESS_KEPT * self.lateness + (1 - _LATENESS_KEPT) * max(seconds, 0.0)
        if self.lateness > _VERY_LATE:
            self._shrink(0.8, Congestion.LATENESS, now)

    def _shrink(self, factor: float, why: Congestion, now: float) -> None:
        if self._requests.shrink(factor, now):
            self.congestion = why

    # ---------------------------------------------------------------- lookups

    def looks_up(self, host: int, now: float) -> None:
        """The name of a host is about to be looked up; `looked_up` is to be told of its end."""
        self.lookup_record.begins(host, now)

    def looked_up(self, host: int, answer: LookupAnswer | None, now: float) -> None:
        """A lookup has ended. answer: None if there was nothing to look up."""
        self.lookup_record.ends(host, answer, now)
        was_answered = answer is None or answer.was_answered
        self._unanswered.append(not was_answered)
        if sum(self._unanswered) > _UNANSWERED * _OUTCOMES:
            self._lookups.shrink(0.5, now)
            self._unanswered.clear()
        elif was_answered and self.lookups.are_used_up:
            self._lookups.grow()
