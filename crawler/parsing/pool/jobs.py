"""Pages on their way to a parser process."""

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
    """is_large: it may take long. is_suspect: a process died while it was under way, so it is tried again by itself.
    is_slow: it has its process to itself, as it may take long or was stopped when it kept others waiting.
    """

    raw: RawPage
    answer: asyncio.Future[PageDigest]
    is_large: bool = False
    is_suspect: bool = False
    is_slow: bool = False

    def do_without(self, table: int, failure: PageDigest) -> None:
        """Let the page be tried again without the rules or the hook that have cost a process."""
        problem = f"{failure.failure}: {failure.detail}"
        self.raw = msgspec.structs.replace(self.raw, without={**self.raw.without, table: problem})

    @property
    def bytes_held(self) -> int:
        return len(self.raw.body)


def unpacked_bytes(raw: RawPage) -> int:
    """About how long a body is when it is decoded, as far as that shows without decoding it."""
    if "gzip" in raw.content_encoding and len(raw.body) >= _GZIP_LENGTH_BYTES:  # RFC 1952: ISIZE
        return max(int.from_bytes(raw.body[-_GZIP_LENGTH_BYTES:], "little"), len(raw.body))
    return len(raw.body) * (_USUAL_RATIO if raw.content_encoding else 1)
