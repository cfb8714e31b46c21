"""What an index holds of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST_CHARACTERS: Final = 1_000
"""Of a title or of a description. In a crawl of 130,529 pages of documentation the longest had 194 and 982."""


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """A page, with all that is the same page under another URL folded into it."""

    page: int
    url: str
    host: str
    """Scheme and authority."""
    site: str
    """Registrable domain."""
    title: str
    description: str
    headings: str
    """One a line."""
    body: str
    """The main content, without what all pages of the host have."""
    full_text: str
    """All visible text."""
    language: str
    """BCP 47 primary tag, or "" if unknown."""
    anchors_inside: tuple[tuple[str, int], ...]
    """Anchor texts of links from the same host, and on how many pages each stands; the most frequent first."""
    anchors_outside: tuple[tuple[str, int], ...]
    """The same of other hosts."""
    fetched_at: float
    """Epoch seconds."""
    copies: tuple[str, ...]
    """URLs folded into this document."""
    type: str = "html"
    """What sort of document it is, such as "pdf"."""
    dated: float | None = None
    """The date that it bears, or that of its last change as its server says; epoch seconds."""
    relevance: float | None = None
    """To the topic of the store; None if nobody has judged it."""
    names: tuple[tuple[str, str], ...] = ()
    """(field, spelling) of the names that it defines, and of those in all its anchor texts."""
    languages: tuple[str, ...] = ()
    """Of the page and of those folded into it, which may declare others; each once."""
    is_cut: bool = False
    """Its title or its description is longer than what is here."""
