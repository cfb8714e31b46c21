"""The items of an archive, whatever its format: responses, revisits, links, logins and skipped records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.parsing.html.parsed_page import ParsedPage

IMPORTED_LOGIN: Final = "imported"
"""The kind of a login that is known only by the field Authorization of the archived request."""


@dataclass(frozen=True, slots=True)
class ArchivedResponse:
    """An archived answer, in the form of an answer to a request of this program.

    `captured_at` is in epoch seconds; `address` is an IP address. `is_rebuilt` means that the body was made from the
    text of the page, because the archive has nothing else; such a body is never stored.
    """

    url: str
    captured_at: float
    answer: Answer | NoAnswer
    address: str | None = None
    is_rebuilt: bool = False


@dataclass(frozen=True, slots=True)
class ArchivedRevisit:
    """An answer that repeats the answer to `original_url` at `original_at`, so the archive holds the body only once.

    Both times are in epoch seconds. If the answer needs no body, `answer` is the answer itself; otherwise None.
    """

    url: str
    captured_at: float
    original_url: str
    original_at: float
    answer: Answer | NoAnswer | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class ArchivedLinks:
    """A page without body and text, known only from an archive's list of its links."""

    url: str
    captured_at: float
    status: int
    page: ParsedPage
    content_type: str | None = None
    location: str | None = None


@dataclass(frozen=True, slots=True)
class ArchivedLogin:
    """A URL that was requested with a login. `opened_by` names the kinds of logins; see `Opened`."""

    url: str
    opened_by: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that is not imported: its kind ("request", "revisit", "file", ...), and the reason in words."""

    kind: str
    reason: str


ArchiveItem = ArchivedResponse | ArchivedRevisit | ArchivedLinks | ArchivedLogin | Skipped
