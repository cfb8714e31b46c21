"""How long an idle connection to each host can be reused before its server closes it. Pure."""

from __future__ import annotations

import re
from math import inf
from typing import Final

_MOST_HOSTS: Final = 10_000
_TIMEOUT: Final = re.compile(r"(?:^|[\s,;])timeout\s*=\s*\"?(\d{1,6})", re.IGNORECASE)


class IdleLimits:
    """The idle time after which a host's connections are no longer reused.

    A limit that a server announces by `Keep-Alive: timeout=5` is used. Otherwise the limit is the idle time after which
    the server has closed a connection, until another connection has stayed open for longer.

    A request that is sent just as the server closes the connection is lost, so a margin is kept: half a second, or a
    tenth of a long limit. At most `most_hosts` limits are kept; the oldest are forgotten first.
    """

    def __init__(self, most_hosts: int = _MOST_HOSTS) -> None:
        """Start with no known limits; at most `most_hosts` hosts are remembered."""
        self._most_hosts = most_hosts
        self._announced: dict[str, float] = {}
        self._observed: dict[str, float] = {}
        self._dropped_at: dict[str, float] = {}

    def announced(self, host: str, field: str) -> None:
        """Store the limit in a server's Keep-Alive field; if the field has several limits, the shortest counts."""
        found = _TIMEOUT.findall(field)
        if found:
            self._learn(self._announced, host, min(map(float, found)))

    def closed(self, host: str, idle_seconds: float) -> None:
        """Note that a server closed a connection, or no longer answered on it, after it was idle for this long."""
        self._learn(self._observed, host, idle_seconds)

    def drop(self, host: str, now: float) -> None:
        """Prevent the reuse of all connections to this host that are idle now."""
        self._learn(self._dropped_at, host, now)

    def may_reuse(self, host: str, idle_since: float, now: float) -> bool:
        """Return whether to send another request on a connection that seems open and is idle since that time."""
        if not (self._announced or self._observed or self._dropped_at):
            return True
        if idle_since <= self._dropped_at.get(host, -inf):
            return False
        idle = now - idle_since
        announced = self._announced.get(host, inf)
        if idle > announced - _margin(announced):
            return False
        observed = self._observed.get(host, inf)
        margin = _margin(observed)
        if idle > observed + margin:
            del self._observed[host]  # it is still open, so that was not the limit
            return True
        return idle <= max(observed - margin, 0.0)

    def _learn(self, table: dict[str, float], host: str, value: float) -> None:
        table.pop(host, None)
        table[host] = value
        if len(table) > self._most_hosts:
            del table[next(iter(table))]


def _margin(limit: float) -> float:
    return 0.0 if limit == inf else max(0.5, limit / 10.0)
