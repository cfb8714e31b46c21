"""The content of a document in an index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST_CHARACTERS: Final = 1_000
"""Maximum length of a title or description. In a crawl of 130,529 documentation pages the longest had 194 and 982
characters."""


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """A page, together with the duplicates folded into it."""

    page: int
    url: str
    host: str
    """Scheme and authority."""
    site: str
    """Registrable domain."""
    title: str
    description: str
    headings: str
    """One heading a line."""
    body: str
    """The main content, without text that all pages of the host share."""
    full_text: str
    """All visible text."""
    language: str
    """BCP 47 primary tag, or "" if unknown."""
    anchors_inside: tuple[tuple[str, int], ...]
    """Anchor texts of links from the same host with the number of linking pages, the most frequent first."""
    anchors_outside: tuple[tuple[str, int], ...]
    """Anchor texts of links from other hosts, likewise."""
    fetched_at: float
    """Epoch seconds."""
    copies: tuple[str, ...]
    """URLs folded into this document."""
    type: str = "html"
    """The document type, such as "pdf"."""
    dated: float | None = None
    """The page's own date, or the Last-Modified date of its server; epoch seconds."""
    relevance: float | None = None
    """Relevance to the topic of the store; None if it was not judged."""
    names: tuple[tuple[str, str], ...] = ()
    """(field, spelling) of the identifiers that the page defines, and of those in all anchor texts of links to
    it.
    """
    languages: tuple[str, ...] = ()
    """Distinct languages of the page and of the pages folded into it, which may declare others."""
    is_cut: bool = False
    """Whether its title or description was shortened."""
