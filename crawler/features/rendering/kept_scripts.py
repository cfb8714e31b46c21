"""A cache of scripts that pages have requested, for other pages. Pure: times are arguments, in seconds."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from hinterland.crawler.fetching.answers import Answer

_MAX_BYTES: Final = 64_000_000
_SECONDS: Final = 600.0


class KeptScripts:
    """Responses by URL, kept for `seconds`; if they take too much memory, the least recently used go first. Mutable."""

    def __init__(self, max_bytes: int = _MAX_BYTES, seconds: float = _SECONDS) -> None:
        """Start empty; all bodies together are limited to `max_bytes`."""
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._kept: OrderedDict[str, tuple[float, Answer]] = OrderedDict()
        self._bytes = 0

    def get(self, url: str, now: float) -> Answer | None:
        """Return the response of a URL, or None if there is no fresh one."""
        until, answer = self._kept.get(url, (0.0, None))
        if answer is None:
            return None
        if until <= now:
            self._forget(url)
            return None
        self._kept.move_to_end(url)
        return answer

    def keep(self, url: str, answer: Answer, now: float) -> None:
        """Store the response of a URL."""
        self._forget(url)
        self._kept[url] = now + self._seconds, answer
        self._bytes += len(answer.body)
        while self._bytes > self._max_bytes:
            self._forget(next(iter(self._kept)))

    def _forget(self, url: str) -> None:
        _, answer = self._kept.pop(url, (0.0, None))
        if answer is not None:
            self._bytes -= len(answer.body)
