"""How long packets wait in the queue of our own link, from the round-trip times of connections. Pure.

What a round trip to a host takes is its path's time, which the least one ever seen shows, and the time in queues. Our
own link is the one queue that all connections share: when most of them take longer than their least, it is ours.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from statistics import median
from typing import Final

_HOSTS: Final = 20_000
_SAMPLES: Final = 25
"""Enough to be sure that it is most of the hosts, few enough to follow a queue that comes and goes within a second."""
_LEAST_SAMPLES: Final = 9
_OLD: Final = 2.0  # seconds: older samples say nothing of now


class QueueingDelay:
    """Mutable: the least round-trip time of each host, and what the last ones took longer."""

    def __init__(self) -> None:
        self._least: OrderedDict[str, float] = OrderedDict()
        self._excess: deque[tuple[float, float]] = deque(maxlen=_SAMPLES)

    def measured(self, host: str, rtt: float, least: float, now: float) -> None:
        """A connection's round-trip time now, and its least; seconds."""
        least = min(least, rtt, self._least.get(host, least))
        self._least[host] = least
        self._least.move_to_end(host)
        if len(self._least) > _HOSTS:
            self._least.popitem(last=False)
        self._excess.append((now, rtt - least))

    def knows(self, host: str) -> bool:
        """Whether the host was connected to lately."""
        return host in self._least

    def seconds(self, now: float) -> float | None:
        """The queueing delay that half of the last connections saw at least; None if too few were measured lately."""
        fresh = [excess for at, excess in self._excess if now - at <= _OLD]
        return median(fresh) if len(fresh) >= _LEAST_SAMPLES else None
