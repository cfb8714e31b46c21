"""Caches the addresses of names while they are valid. Pure: the time is an argument."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from hinterland.crawler.fetching.names.lookups import FoundName

LEAST_SECONDS: Final = 30.0
"""Minimum time for which a name is kept. Many names of large sites have a TTL of seconds, so that clients leave a
broken machine soon. A crawl that visits a host every few seconds would repeat the lookup for each visit; after a failed
visit the name is looked up again in any case."""


class NameCache:
    """Keeps each name for the TTL of its answer, within limits; the least recently used name is dropped first."""

    def __init__(self, *, most_seconds: float, size: int) -> None:
        """Start empty, for at most `size` names.

        `most_seconds` is the maximum time for which a name is kept; names without a TTL are kept for that time.
        """
        self._most_seconds = most_seconds
        self._size = size
        self._names: OrderedDict[str, tuple[float, FoundName]] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of names kept."""
        return len(self._names)

    def keep(self, name: str, found: FoundName, now: float) -> float:
        """Cache an answer; return until when it is valid, on the clock of `now`."""
        ttl = self._most_seconds if found.ttl is None else max(found.ttl, LEAST_SECONDS)
        until = now + min(ttl, self._most_seconds)
        self._names[name] = until, found
        self._names.move_to_end(name)
        while len(self._names) > self._size:
            self._names.popitem(last=False)
        return until

    def find(self, name: str) -> tuple[float, FoundName] | None:
        """Return when the cached answer for a name expires, and the answer; None if the name is not cached.

        The answer may have expired.
        """
        kept = self._names.get(name)
        if kept is not None:
            self._names.move_to_end(name)
        return kept

    def forget(self, name: str) -> None:
        """Forget a name."""
        self._names.pop(name, None)
