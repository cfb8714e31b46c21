"""Limits what a page may fetch while it is rendered. Pure."""

from __future__ import annotations

from collections import Counter
from typing import Final

from hinterland.crawler.urls.hosts import host_of

FETCHED: Final = frozenset({"script", "xhr", "fetch"})
"""The resource types that a page's content may depend on. Requests for style sheets get an empty one, because scripts
may wait for it. Nothing else (pictures, media, fonts, pings, event streams, sockets) is fetched. Documents in frames
are not fetched either, because they are pages of their own that links lead to.
"""
STYLESHEET: Final = "stylesheet"
KEPT: Final = frozenset({"script"})
"""The resource types that are fetched once and cached for other pages."""
MAX_REDIRECTS: Final = 5
MAX_RECEIVED_BYTES: Final = 20_000_000
"""Limit of one page's scripts and data together, decompressed."""


class Allowance:
    """What one page may still fetch, and which of its requests were refused, with the reasons. Mutable."""

    def __init__(self, url: str, max_requests: int, max_bytes: int) -> None:
        """Allow `max_requests` requests and `max_bytes` bytes, decompressed, for the page at `url`."""
        self._host = host_of(url)
        self.max_requests = max_requests
        self._max_bytes = max_bytes
        self.requests_of_host = 0
        self.seconds_of_host = 0.0
        self.logins = dict[str, None]()
        """The logins that opened something which the page fetched."""
        self.begin()

    def begin(self) -> None:
        """Restore the full allowance, for another attempt after a browser was lost.

        The number and the duration of requests to the page's host are not reset.
        """
        self._requests_left = self.max_requests
        self.bytes_left = self._max_bytes
        self._refused: Counter[str] = Counter()

    def objection(self, kind: str, method: str) -> str:
        """Return why the page may not fetch a resource of this kind by this HTTP method; "" if it may."""
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
        """Count a request that is about to be made, for a canonical URL.

        `rests` says that the host rests right after this request. Without `rests`, the page's own host rests once the
        page is done.
        """
        self._requests_left -= 1
        self.requests_of_host += not rests and host_of(url) == self._host

    def received(self, url: str, size: int, seconds: float, *, rests: bool = False, login: str = "") -> None:
        """Count a response of `size` bytes that took `seconds`; `login` says which login was sent."""
        self.bytes_left -= size
        if login:
            self.logins[login] = None
        if not rests and host_of(url) == self._host:
            self.seconds_of_host += seconds

    def refuse(self, kind: str, reason: str) -> None:
        """Count a refused request, if the content of pages may depend on resources of this kind."""
        if kind in FETCHED:
            self._refused[reason] += 1

    @property
    def refusals(self) -> str:
        """How many requests of the page were refused, by reason, as a sentence; "" if none was."""
        counts = ", ".join(f"{count} {reason}" for reason, count in self._refused.most_common())
        return f"some of its requests were refused: {counts}" if counts else ""
