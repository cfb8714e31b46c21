"""What a page may fetch while it is rendered. Pure."""

from __future__ import annotations

from collections import Counter
from typing import Final

from hinterland.crawler.urls.hosts import host_of

FETCHED: Final = frozenset({"script", "xhr", "fetch"})
"""What a page needs so that it says what it has to say. Style sheets are answered with nothing, as scripts may wait for
them. All else (pictures, media, fonts, pings, streams of events, sockets) is not fetched. Documents in frames are
pages of their own, and links lead to them."""
STYLESHEET: Final = "stylesheet"
KEPT: Final = frozenset({"script"})
"""What is fetched once for many pages."""
MAX_REDIRECTS: Final = 5
MAX_RECEIVED_BYTES: Final = 20_000_000
"""What the scripts and data of one page may come to in all, decompressed."""


class Allowance:
    """Of one page. Mutable: how much of it is used up, and what was refused and why."""

    def __init__(self, url: str, max_requests: int, max_bytes: int) -> None:
        self._host = host_of(url)
        self.max_requests = max_requests
        self._max_bytes = max_bytes
        self.requests_of_host = 0
        self.seconds_of_host = 0.0
        self.begin()

    def begin(self) -> None:
        """Begin with all it may have, as another browser does after one was lost; what was asked of its host stays."""
        self._requests_left = self.max_requests
        self.bytes_left = self._max_bytes
        self._refused: Counter[str] = Counter()

    def objection(self, kind: str, method: str) -> str:
        """Why the page cannot have something whatever its URL; "" if it can."""
        if kind not in FETCHED:
            return "of a kind that is not fetched"
        if method != "GET":
            return f"sent by {method[:16]}"
        return self.exhaustion

    @property
    def exhaustion(self) -> str:
        """Why the page cannot have anything more; "" if it can."""
        if self._requests_left <= 0:
            return f"more than {self.max_requests}"
        return "" if self.bytes_left > 0 else "too many bytes"

    def requests(self, url: str, *, rests: bool = False) -> None:
        """A request is about to be made, for a canonical URL. rests: its host rests after it; the page's own else rests
        for it when the page is done.
        """
        self._requests_left -= 1
        self.requests_of_host += not rests and host_of(url) == self._host

    def received(self, url: str, size: int, seconds: float, *, rests: bool = False) -> None:
        self.bytes_left -= size
        if not rests and host_of(url) == self._host:
            self.seconds_of_host += seconds

    def refuse(self, kind: str, reason: str) -> None:
        """Note it, unless nobody misses it."""
        if kind in FETCHED:
            self._refused[reason] += 1

    @property
    def refusals(self) -> str:
        """What the page did not get, in words; "" if nothing."""
        counts = ", ".join(f"{count} {reason}" for reason, count in self._refused.most_common())
        return f"it did not get all it asked for: {counts}" if counts else ""
