"""The addresses that were looked up, for as long as they hold. Pure: the time is an argument."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from hinterland.crawler.fetching.names.lookups import FoundName

LEAST_SECONDS: Final = 30.0
"""The shortest time that a name is kept. Many names of large sites have a TTL of seconds, so that clients move away
from a broken machine soon. A crawl that visits a host every few seconds would look it up as often; a failed visit has
it looked up again in any case."""


class NameCache:
    """Keeps each name for the TTL of its answer, within limits; the least recently used name goes first."""

    def __init__(self, *, most_seconds: float, size: int) -> None:
        """Start empty, for at most `size` names.

        `most_seconds` is the longest that a name is kept, and how long a name without a TTL is.
        """
        self._most_seconds = most_seconds
        self._size = size
        self._names: OrderedDict[str, tuple[float, FoundName]] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of names kept."""
        return len(self._names)

    def keep(self, name: str, found: FoundName, now: float) -> float:
        """Remember an answer; returns until when it holds, on the clock of `now`."""
        ttl = self._most_seconds if found.ttl is None else max(found.ttl, LEAST_SECONDS)
        until = now + min(ttl, self._most_seconds)
        self._names[name] = until, found
        self._names.move_to_end(name)
        while len(self._names) > self._size:
            self._names.popitem(last=False)
        return until

    def find(self, name: str) -> tuple[float, FoundName] | None:
        """Return until when an answer holds, and the answer, which may have expired; None if there is none."""
        kept = self._names.get(name)
        if kept is not None:
            self._names.move_to_end(name)
        return kept

    def forget(self, name: str) -> None:
        """Forget a name."""
        self._names.pop(name, None)
