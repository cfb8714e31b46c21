"""What reads pages for a crawl: parser processes, or those with a browser beside them."""

from __future__ import annotations

from typing import Protocol

from hinterland.crawler.parsing.messages import PageDigest, RawPage


class PageParser(Protocol):
    """restarts: of processes that died; backlog: pages that wait; is_saturated: more of them would only wait."""

    @property
    def restarts(self) -> int: ...
    @property
    def backlog(self) -> int: ...
    @property
    def is_saturated(self) -> bool: ...
    async def parse(self, raw: RawPage) -> PageDigest: ...
