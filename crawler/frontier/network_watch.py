"""Decides whether hosts fail or the local network does. Pure: the time is an argument.

    UP ──► DOUBTED: hosts that had answered fail one after another, and none answers; others are probed to find out
     ▲        │ one answers: the network is fine, and the failed hosts are not
     └────────┤
              └─► DOWN: none answers. Nothing is visited or counted, but every few seconds, later every minute, one
                  host is probed, until one answers or the patience is exhausted

Lookups are watched like hosts. A lookup without a reply points to the name server, even while hosts still answer at
addresses looked up earlier; only a successful lookup shows that the name server works.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from enum import Enum, auto
from math import inf

_REMEMBERED = 64
"""Number of hosts to remember, the last that answered: enough to find some to probe."""
_TOGETHER = 3
"""If this many hosts fail one after another without an answer in between, the network is doubted. It is also doubted if
one host fails this many times in a row."""
_ASKED = 3
"""Number of hosts to probe when the network is doubted."""
_LONGEST_PAUSE = 12
"""Maximum pause between probes, in units of the first pause. With the usual five seconds, this is one probe a minute,
which is enough to notice the end of an outage soon."""


class NetworkState(Enum):
    """The state of the local network."""

    UP = auto()
    DOUBTED = auto()
    DOWN = auto()


class NetworkWatch:
    """Judges the network by the answers, and by the requests and lookups without a reply. Mutable.

    Hosts are given by number.
    """

    def __init__(self, *, pause_seconds: float, patience_seconds: float, heard: Iterable[int] = ()) -> None:
        """Begin with a working network.

        `heard` holds hosts that answered in earlier runs, in the order of their last answers. `pause_seconds` is the
        time before the first probe of a network that is down; it doubles with each probe, up to twelve times as long.
        After `patience_seconds` the network is given up.
        """
        self._pause = pause_seconds
        self._patience = patience_seconds
        self._recent: OrderedDict[int, None] = OrderedDict.fromkeys(list(heard)[-_REMEMBERED:])
        self._failed: dict[int, int] = {}
        self._unresolved: dict[int, int] = {}
        self._asked = set[int]()
        self._next_pause = pause_seconds
        self._next_probe = inf
        self._turn = 0
        self.state = NetworkState.UP
        self.down_since: float | None = None
        """When the network went down, in epoch seconds; None unless it is down."""

    # ---------------------------------------------------------------- events

    def answered(self, host: int) -> bool:
        """Note that a host answered a request, with whatever status; return whether this ends an outage."""
        self._recent[host] = None
        self._recent.move_to_end(host)
        if len(self._recent) > _REMEMBERED:
            self._recent.popitem(last=False)
        self._failed.clear()
        return self._is_well_again(host)

    def looked_up(self) -> None:
        """Note that the name server returned the address of some host."""
        self._unresolved.clear()

    def failed(self, host: int, failures: int, now: float, *, is_ours: bool, is_lookup: bool = False) -> None:
        """Note that a request or a lookup got no reply.

        `failures` is the host's number of failures in a row before this one. `is_ours` means that this machine itself
        reports that it has no route, or that no name server replies.
        """
        self._failed.setdefault(host, failures)
        if is_lookup and is_ours:
            self._unresolved.setdefault(host, failures)
        self._asked.discard(host)
        if self.state is NetworkState.UP and self._is_suspicious(host, failures, is_ours=is_ours):
            self._doubt()
        if self.state is NetworkState.DOUBTED and not self._asked:
            self._go_down(now)

    def _is_suspicious(self, host: int, failures: int, *, is_ours: bool) -> bool:
        if len(self._unresolved) >= _TOGETHER:
            return True
        heard = sum(each in self._recent and before < _TOGETHER for each, before in self._failed.items())
        if not heard:
            return False
        if len(self._recent) == 1:  # no other host can be asked, and a single host may well be down
            return is_ours
        return heard >= min(_TOGETHER, len(self._recent)) or (host in self._recent and failures + 1 == _TOGETHER)

    def _doubt(self) -> None:
        self.state = NetworkState.DOUBTED
        others = [host for host in reversed(self._recent) if host not in self._failed]
        if self._unresolved and not others:  # these hosts still answer because their names were looked up earlier
            others = [host for host in reversed(self._recent) if host not in self._unresolved]
        self._asked = set(others[:_ASKED])

    def _go_down(self, now: float) -> None:
        self.state, self.down_since = NetworkState.DOWN, now
        self._next_pause = self._pause
        self._next_probe = now + self._pause

    def _is_well_again(self, host: int) -> bool:
        if self.state is NetworkState.UP:
            return False
        self._asked.discard(host)
        if self.state is NetworkState.DOUBTED and self._unresolved and self._asked:
            return False  # an answer from an address known before says nothing about the name server
        was_down = self.state is NetworkState.DOWN
        self.state, self.down_since, self._next_probe = NetworkState.UP, None, inf
        self._asked.clear()
        self._unresolved.clear()
        return was_down

    @property
    def names_alone_fail(self) -> bool:
        """Whether all failures since the last answer were lookups, and there was at least one."""
        return bool(self._unresolved) and self._failed.keys() <= self._unresolved.keys()

    # ---------------------------------------------------------------- probes

    def failures_before(self) -> dict[int, int]:
        """Return the hosts that have failed since the last answer, each with its number of failures at that time."""
        return {**self._unresolved, **self._failed}

    def hosts_to_ask(self) -> list[int]:
        """Return the hosts to probe to find out whether the network works; none unless it is doubted."""
        return sorted(self._asked)

    def probe_due(self, now: float) -> int | None:
        """Return the host to probe now, while the network is down; None if no probe is due yet."""
        if now < self._next_probe:
            return None
        self._next_pause = min(2 * self._next_pause, _LONGEST_PAUSE * self._pause)
        self._next_probe = now + self._next_pause
        hosts = list(reversed(self._recent)) or list(self._failed) or list(self._unresolved)
        self._turn += 1
        return hosts[self._turn % len(hosts)]

    @property
    def next_probe(self) -> float:
        """When the next host is probed, in epoch seconds; inf unless the network is down."""
        return self._next_probe

    def seconds_down(self, now: float) -> float | None:
        """Return how long the network has been down; None if it is not."""
        return None if self.down_since is None else now - self.down_since

    def is_given_up(self, now: float) -> bool:
        """Return whether the network has been down for `patience_seconds` or longer."""
        return self.down_since is not None and now - self.down_since >= self._patience
