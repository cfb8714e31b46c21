"""Estimates how long packets wait in the queue of the local link, from the round-trip times of connections. Pure.

A round trip to a host consists of the time of its path, shown by the shortest round trip ever seen, and the time in
queues. The local link is the one queue that all connections share: if most connections take longer than usual, that
queue is the cause.

Tried and rejected: comparing the median of all hosts with the median of quieter moments. When many hosts are requested
for the first time, near ones answer first and far ones last, which looks like a growing queue.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from math import inf
from statistics import median
from typing import Final

_HOSTS: Final = 20_000
_SAMPLES: Final = 15
"""Number of samples: enough to represent most hosts, and few enough to follow a queue that comes and goes in a
second."""
_LEAST_SAMPLES: Final = 7
_WORKED_OUT_EVERY: Final = 0.05  # seconds
_OLD: Final = 2.0  # seconds: older samples say nothing of now
_USUAL_OF: Final = 60  # seconds
_MOST_USUAL: Final = 0.1
"""Maximum usual excess, in seconds. A longer excess is a queue, even if there has not been a quieter moment."""


class QueueingDelay:
    """The queueing delay of the local link. Mutable: the shortest round-trip time of each host, and recent excesses.

    The excess of a round trip is its time minus the host's shortest one. Some excess is usual: on a kept-alive
    connection a request is acknowledged later than on a new one (delayed acknowledgements, RFC 9293), and some paths
    are unsteady. So the excess of the quietest second of the last minute is subtracted.
    """

    def __init__(self) -> None:
        """Start with nothing measured."""
        self._least: OrderedDict[str, float] = OrderedDict()
        self._excess: deque[tuple[float, float]] = deque(maxlen=_SAMPLES)
        self._quietest: deque[tuple[int, float]] = deque()
        self._worked_out_at = -inf
        self._seconds: float | None = None

    def measured(self, host: str, rtt: float, now: float) -> None:
        """Note a round-trip time of a connection, in seconds. The first one of a host serves only as a reference."""
        known = self._least.get(host)
        if known is None:
            self._least[host] = rtt
            if len(self._least) > _HOSTS:
                self._least.popitem(last=False)
            return
        self._least.move_to_end(host)  # not removed and added again, which takes thirty times as long with many hosts
        if rtt < known:
            self._least[host] = rtt
        self._excess.append((now, max(rtt - known, 0.0)))

    def knows(self, host: str) -> bool:
        """Return whether a round-trip time of the host is known."""
        return host in self._least

    def seconds(self, now: float) -> float | None:
        """Return the median queueing delay of recent connections, in seconds; None if too few were measured lately."""
        if now - self._worked_out_at >= _WORKED_OUT_EVERY:
            self._worked_out_at, self._seconds = now, self._work_out(now)
        return self._seconds

    def _work_out(self, now: float) -> float | None:
        fresh = [excess for at, excess in self._excess if now - at <= _OLD]
        if len(fresh) < _LEAST_SAMPLES:
            return None
        middle = median(fresh)
        self._note(middle, int(now))
        usual = min(least for _, least in self._quietest)
        return middle - min(_MOST_USUAL, usual)

    def _note(self, middle: float, second: int) -> None:
        """Keep the shortest delay of each second."""
        if self._quietest and self._quietest[-1][0] == second:
            middle = min(middle, self._quietest.pop()[1])
        self._quietest.append((second, middle))
        while self._quietest[0][0] < second - _USUAL_OF:
            self._quietest.popleft()
