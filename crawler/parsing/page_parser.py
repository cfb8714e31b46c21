"""The interface of page parsing. The parser processes implement it, and so does a browser in front of them."""

from __future__ import annotations

from typing import Protocol

from hinterland.crawler.parsing.messages import PageDigest, RawPage


class PageParser(Protocol):
    """Parses pages outside the crawl's own process."""

    @property
    def restarts(self) -> int:
        """How many processes died and were replaced."""
        ...

    @property
    def backlog(self) -> int:
        """How many pages are waiting or being parsed."""
        ...

    @property
    def is_saturated(self) -> bool:
        """Whether enough pages are waiting, so that callers should hand in no other page yet."""
        ...

    async def parse(self, raw: RawPage) -> PageDigest:
        """Return what was read from a page."""
        ...
