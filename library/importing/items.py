"""What an archive tells of the web, whatever its format: plain values."""

from __future__ import annotations

from dataclasses import dataclass

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.parsing.html.parsed_page import ParsedPage


@dataclass(frozen=True, slots=True)
class ArchivedResponse:
    """What a request gave, as if we had made it. captured_at: epoch seconds; address: IP address, if known."""

    url: str
    captured_at: float
    answer: Answer | NoAnswer
    address: str | None = None


@dataclass(frozen=True, slots=True)
class ArchivedLinks:
    """A page of which only what an index of links tells is known: no body, no text."""

    url: str
    captured_at: float
    status: int
    page: ParsedPage
    content_type: str | None = None
    location: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that nothing is made of. kind: of record ("request", "revisit", "file", ...); reason: in words."""

    kind: str
    reason: str


ArchiveItem = ArchivedResponse | ArchivedLinks | Skipped
