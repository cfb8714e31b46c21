"""Jobs: pages on their way to a parser process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

import msgspec

from hinterland.crawler.parsing.messages import PageDigest, RawPage

_GZIP_LENGTH_BYTES: Final = 4
_USUAL_RATIO: Final = 5


@dataclass(slots=True, eq=False)
class ParseJob:
    """A page to parse, and the future of its digest.

    `is_large` says that the page may be slow because of its size. `is_suspect` says that a process died while the page
    was in progress, so the page is retried alone. `is_slow` says that the page gets a process to itself, because it is
    large, or was stopped for keeping others waiting.
    """

    raw: RawPage
    answer: asyncio.Future[PageDigest]
    is_large: bool = False
    is_suspect: bool = False
    is_slow: bool = False

    def skip_table(self, table: int, failure: PageDigest) -> None:
        """Leave out the rules or hook of `table` in the next attempt, because a process died or was killed in them."""
        problem = f"{failure.failure}: {failure.detail}"
        self.raw = msgspec.structs.replace(self.raw, without={**self.raw.without, table: problem})

    @property
    def bytes_held(self) -> int:
        """How many bytes of memory the body takes while the job exists."""
        return len(self.raw.body)


def unpacked_bytes(raw: RawPage) -> int:
    """Return an estimate of the size of a body after decoding, without decoding it."""
    if "gzip" in raw.content_encoding and len(raw.body) >= _GZIP_LENGTH_BYTES:  # RFC 1952: ISIZE
        return max(int.from_bytes(raw.body[-_GZIP_LENGTH_BYTES:], "little"), len(raw.body))
    return len(raw.body) * (_USUAL_RATIO if raw.content_encoding else 1)
