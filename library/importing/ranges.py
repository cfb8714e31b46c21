"""Requests single records of archives on another server, each by its range of bytes.

One request is made at a time, by the fetcher of the crawl, and followed by a rest. No robots.txt is requested, since
the user has named the files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from hinterland.crawler.fetching.access.access import Access, AccessProvider, Asked
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.retry_after import asked_to_wait
from hinterland.crawler.settings import Settings, user_agent
from hinterland.library.importing.formats.index_answers import Piece

COMMON_CRAWL: Final = "https://data.commoncrawl.org/"
"""Where Common Crawl's archives are."""
_TRIES: Final = 4
_LONGEST_WAIT: Final = 300.0
_MOST_IN_VAIN: Final = 5
"""The archives are given up after this many consecutive records that could not be read."""
_PART: Final = 206


class ArchivesSilent(OSError):
    """Raised if the server of the archives does not answer. The message names the server and the problem."""


class _Range(AccessProvider):
    """A request for one range of bytes, without decompression. Mutable."""

    def __init__(self) -> None:
        self.wanted = ""

    def access(self, asked: Asked) -> Access:
        return Access(fields=(("Range", self.wanted), ("Accept-Encoding", "identity"), ("Accept", "*/*")))


class RangedArchives:
    """Archives at a URL; an async context manager. Mutable."""

    def __init__(self, base: str, settings: Settings, now: Callable[[], float]) -> None:
        """Prepare to read files below the URL `base`, with the rests, limits and User-Agent of the settings."""
        self._base = base
        self._rest_seconds = settings.politeness.delay_seconds
        self._now = now
        self._range = _Range()
        fetching = replace(settings.fetching, cookies=False)
        self._fetcher = Fetcher(fetching, user_agent(settings.identity), now, provider=self._range)
        self._next = 0.0
        self._in_vain = 0

    async def __aenter__(self) -> RangedArchives:
        """Open the fetcher."""
        await self._fetcher.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close the fetcher."""
        await self._fetcher.__aexit__(None, None, None)

    async def read(self, piece: Piece) -> bytes | str:
        """Return the bytes of a record, or words that say why they are unavailable. Raises ArchivesSilent."""
        problem = ""
        for attempt in range(_TRIES):
            await asyncio.sleep(max(self._next - self._now(), 0.0))
            self._range.wanted = piece.range
            answer = await self._fetcher.fetch(piece.url_below(self._base), BodyLimits(None, piece.length))
            wait = asked_to_wait(answer, self._now()) or self._rest_seconds * 2**attempt
            is_good = isinstance(answer, Answer) and answer.status < 400
            self._next = self._now() + (self._rest_seconds if is_good else min(wait, _LONGEST_WAIT))
            found = _part(piece, answer)
            if isinstance(found, bytes):
                self._in_vain = 0
                return found
            problem = found
            if not _may_pass(answer):
                break
        self._in_vain += 1
        if self._in_vain >= _MOST_IN_VAIN:
            host = urlsplit(self._base).netloc
            raise ArchivesSilent(
                f"{host}: {self._in_vain} records in a row could not be read; the last problem: {problem}"
            )
        return problem


def _part(piece: Piece, answer: Answer | NoAnswer) -> bytes | str:
    if isinstance(answer, NoAnswer):
        return f"its archive could not be read ({answer.kind})"
    if answer.status != _PART:
        return f"its archive could not be read (status {answer.status})"
    if len(answer.body) != piece.length:
        return "its archive ends before it does"
    return answer.body


def _may_pass(answer: Answer | NoAnswer) -> bool:
    return isinstance(answer, NoAnswer) or answer.status == 429 or answer.status >= 500
