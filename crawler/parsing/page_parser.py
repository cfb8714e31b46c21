"""The interface of page parsing, implemented by parser processes, alone or together with a browser."""

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
        """Whether too many pages are waiting to hand in another one."""
        ...

    async def parse(self, raw: RawPage) -> PageDigest:
        """Return what was read from a page."""
        ...
