"""What a page may fetch while it is rendered. Pure."""

from __future__ import annotations

from collections import Counter
from typing import Final

from hinterland.crawler.urls.hosts import host_of

FETCHED: Final = frozenset({"script", "xhr", "fetch"})
"""The resource types that a page's content may depend on. Style sheets are answered with an empty one, because scripts
may wait for them. Everything else (pictures, media, fonts, pings, event streams, sockets) is not fetched. Documents in
frames are pages of their own, and links lead to them."""
STYLESHEET: Final = "stylesheet"
KEPT: Final = frozenset({"script"})
"""What is fetched once for many pages."""
MAX_REDIRECTS: Final = 5
MAX_RECEIVED_BYTES: Final = 20_000_000
"""Limit of one page's scripts and data together, decompressed."""


class Allowance:
    """What one page may still fetch, and what was refused and why. Mutable."""

    def __init__(self, url: str, max_requests: int, max_bytes: int) -> None:
        """Allow `max_requests` requests and `max_bytes` bytes, decompressed, for the page at `url`."""
        self._host = host_of(url)
        self.max_requests = max_requests
        self._max_bytes = max_bytes
        self.requests_of_host = 0
        self.seconds_of_host = 0.0
        self.begin()

    def begin(self) -> None:
        """Start with the full allowance again, for another browser after one was lost.

        The counts of requests to the page's host are kept.
        """
        self._requests_left = self.max_requests
        self.bytes_left = self._max_bytes
        self._refused: Counter[str] = Counter()

    def objection(self, kind: str, method: str) -> str:
        """Return why the page may not fetch something, whatever its URL; "" if it may."""
        if kind not in FETCHED:
            return "of a type that is not fetched"
        if method != "GET":
            return f"sent by {method[:16]}"
        return self.exhaustion

    @property
    def exhaustion(self) -> str:
        """Why the page may not fetch anything more; "" if it may."""
        if self._requests_left <= 0:
            return f"over the limit of {self.max_requests} requests"
        return "" if self.bytes_left > 0 else "over the limit of bytes"

    def requests(self, url: str, *, rests: bool = False) -> None:
        """Count a request about to be made for a canonical URL.

        `rests` says that the host rests after this request; otherwise the page's own host rests for it once the page is
        done.
        """
        self._requests_left -= 1
        self.requests_of_host += not rests and host_of(url) == self._host

    def received(self, url: str, size: int, seconds: float, *, rests: bool = False) -> None:
        """Count a response of `size` bytes that took `seconds`."""
        self.bytes_left -= size
        if not rests and host_of(url) == self._host:
            self.seconds_of_host += seconds

    def refuse(self, kind: str, reason: str) -> None:
        """Count a refusal, unless the page does not need such resources."""
        if kind in FETCHED:
            self._refused[reason] += 1

    @property
    def refusals(self) -> str:
        """What the page did not get, in words; "" if nothing."""
        counts = ", ".join(f"{count} {reason}" for reason, count in self._refused.most_common())
        return f"some of its requests were refused: {counts}" if counts else ""
