"""How long packets wait in the queue of our own link, from the round-trip times of connections. Pure.

What a round trip to a host takes is its path's time, which the least one ever seen shows, and the time in queues. Our
own link is the one queue that all connections share: when most of them take longer than their least, it is ours.

A host that was first met through a full queue seems to be far away, and shows less than there is. So all hosts together
are looked at, too: if half of them take much longer than half of them took in the quietest moment of the last minute,
that is no accident of which hosts these are.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from math import inf
from statistics import median
from typing import Final

_HOSTS: Final = 20_000
_SAMPLES: Final = 15
"""Enough to be sure that it is most of the hosts, few enough to follow a queue that comes and goes within a second."""
_LEAST_SAMPLES: Final = 7
_WORKED_OUT_EVERY: Final = 0.05  # seconds
_OLD: Final = 2.0  # seconds: older samples say nothing of now
_CROWD: Final = 25  # samples, of which the middle one is taken
_FIRST: Final = 150
"""Samples that are not compared with: at the beginning, near hosts answer before far ones."""
_QUIETEST_OF: Final = 60  # seconds
_ACCIDENT: Final = 0.03, 0.25
"""What the middle one of so few hosts may be off by chance: seconds, and a share of itself."""


class QueueingDelay:
    """Mutable: the least round-trip time of each host, and what the last ones took longer.

    A request on a connection that was kept is acknowledged later than a new one (delayed acknowledgements, RFC 9293),
    so each is compared with its like.
    """

    def __init__(self) -> None:
        self._least: OrderedDict[tuple[str, bool], float] = OrderedDict()
        self._excess: deque[tuple[float, float]] = deque(maxlen=_SAMPLES)
        self._crowds = {is_reused: Crowd() for is_reused in (False, True)}
        self._worked_out_at = -inf
        self._seconds: float | None = None

    def measured(self, host: str, rtt: float, now: float, *, is_reused: bool) -> None:
        """A round-trip time of a connection, seconds. The first one of a host only shows what it may take."""
        key = host, is_reused
        known = self._least.pop(key, None)
        self._least[key] = rtt if known is None else min(rtt, known)
        if len(self._least) > _HOSTS:
            self._least.popitem(last=False)
        if known is not None:
            self._excess.append((now, max(rtt - known, 0.0)))
        self._crowds[is_reused].measured(rtt, now)

    def knows(self, host: str) -> bool:
        """Whether the host answered lately."""
        return (host, False) in self._least or (host, True) in self._least

    def seconds(self, now: float) -> float | None:
        """The queueing delay that half of the last connections saw at least; None if too few were measured lately."""
        if now - self._worked_out_at >= _WORKED_OUT_EVERY:
            self._worked_out_at, self._seconds = now, self._work_out(now)
        return self._seconds

    def _work_out(self, now: float) -> float | None:
        fresh = [excess for at, excess in self._excess if now - at <= _OLD]
        seen = [median(fresh)] if len(fresh) >= _LEAST_SAMPLES else []
        seen += [excess for crowd in self._crowds.values() if (excess := crowd.excess(now)) is not None]
        return max(seen) if seen else None


class Crowd:
    """Mutable: round-trip times to whichever hosts were asked last, and how short they are in quiet moments."""

    def __init__(self) -> None:
        self._last: deque[tuple[float, float]] = deque(maxlen=_CROWD)
        self._quietest: deque[tuple[int, float]] = deque()
        self._measured = 0

    def measured(self, rtt: float, now: float) -> None:
        self._last.append((now, rtt))
        self._measured += 1

    def excess(self, now: float) -> float | None:
        """Seconds by which half of the last hosts take longer than in the quietest moment of the last minute, less what
        chance may do; None if too few were asked lately."""
        if self._measured < _FIRST or now - self._last[0][0] > _OLD:
            return None
        middle = median(rtt for _, rtt in self._last)
        self._note_quiet(middle, int(now))
        quiet = min(least for _, least in self._quietest)
        seconds, share = _ACCIDENT
        return max(middle - quiet - seconds - share * quiet, 0.0)

    def _note_quiet(self, middle: float, second: int) -> None:
        """Keep the least of each second."""
        if self._quietest and self._quietest[-1][0] == second:
            middle = min(middle, self._quietest.pop()[1])
        self._quietest.append((second, middle))
        while self._quietest[0][0] < second - _QUIETEST_OF:
            self._quietest.popleft()
