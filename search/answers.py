"""The results of a search, as plain values.

Titles, snippets and URLs come from crawled pages and are hostile text: escape them before showing them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypedDict
from urllib.parse import quote


class QueryError(Exception):
    """A query that cannot be answered; the message names the faulty part and how to fix it."""


FACETS = ("site", "host", "folder", "language", "type", "year", "topic")
"""The facets by which matching pages are counted."""
MOST_HITS = 100
"""Maximum number of hits in one answer."""
MOST_OFFSET = 1_000
"""Maximum offset. A page of results costs more the higher its offset is, and hardly anybody pages this far."""
ORDERS = ("", "date")
"""The orders of hits: "" by score, "date" by the latest date first."""


_IN_FRAGMENTS: Final = "!$&'()*+,;=:@/?-._~"
"""Characters that a fragment may hold as they are, besides letters and digits (RFC 3986, 3.5)."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A run of text in a snippet or a title."""

    text: str
    is_match: bool
    """Whether the text matches a word of the query."""


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One component of a score, shown by `search --explain`."""

    name: str
    value: float
    detail: str = ""
    """How the value was computed, in words or as a formula with its numbers."""


@dataclass(frozen=True, slots=True)
class IndexedRank:
    """The PageRank of a page among the documents of an index."""

    place: int
    """The rank's position, from 1."""
    documents: int
    times_average: float
    is_of_web: bool
    """Whether the rank estimates the PageRank in the whole web, not only in the links of the domain."""
    estimator: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that matches a query."""

    page: int
    """The number of the page in the store."""
    url: str
    title: tuple[Fragment, ...]
    """Empty if the page has no title."""
    snippet: tuple[Fragment, ...]
    host: str
    """Scheme and authority."""
    language: str
    """BCP 47 primary tag, or "" if unknown."""
    fetched_at: float
    """Epoch seconds."""
    score: float
    parts: tuple[ScorePart, ...]
    """The components that add up to the score."""
    copies: int
    """Number of further URLs with the same content, folded into this hit."""
    lacks: tuple[str, ...]
    """Words of the query that the page lacks. Of three words or more a page may lack a third. Of two words it may lack
    one if few pages have both; it then comes after pages with both.
    """
    dated: float | None = None
    """The page's own date, or the Last-Modified date of its server; epoch seconds."""
    site: str = ""
    """Registrable domain."""
    is_last_of_site: bool = False
    """Whether later pages of results have more hits of the same site, which were moved there in favour of other sites.
    """
    store: str = ""
    """The store that holds the page, if several stores are searched."""
    section: str = ""
    """The heading of the section that answers the query best; "" if that is the beginning of the page."""
    anchor: str = ""
    """What follows "#" in a URL that leads to the section; "" if nothing leads there, or if `section` is ""."""
    section_url: str = field(init=False)
    """The URL of the section, or of the page if no URL leads to a section."""
    title_text: str = field(init=False)
    """The title as one text; "" if the page has none."""
    snippet_text: str = field(init=False)
    """The snippet as one text."""

    def __post_init__(self) -> None:
        """Set `section_url`, and `title` and `snippet` as plain text, for programs that do not highlight matches."""
        address = f"{self.url}#{quote(self.anchor, safe=_IN_FRAGMENTS)}" if self.anchor else self.url
        object.__setattr__(self, "section_url", address)
        object.__setattr__(self, "title_text", "".join(each.text for each in self.title))
        object.__setattr__(self, "snippet_text", "".join(each.text for each in self.snippet))


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet.

    It comes with the number of matching pages that have it, and a query that finds only these pages.
    """

    value: str
    pages: int
    query: str


@dataclass(frozen=True, slots=True)
class Facet:
    """The matching pages counted by one property, such as site, language or year."""

    name: str
    values: tuple[FacetValue, ...]
    """The most frequent values first; years in descending order."""
    others: int
    """Number of pages with other values."""


@dataclass(frozen=True, slots=True)
class OtherQuery:
    """An alternative query."""

    query: str
    pages: int
    """Number of pages that match the query."""


@dataclass(frozen=True, slots=True)
class Rescue:
    """Alternatives that a search offers if no page has all words of the query."""

    corrected: str
    """The corrected query that the hits answer; "" if they answer the original query."""
    corrections: tuple[OtherQuery, ...]
    """Spelling corrections, the likeliest first, without `corrected`."""
    unknown: tuple[str, ...]
    """Words that no page has in any form."""
    wider: tuple[OtherQuery, ...]
    """The query without one of its conditions, if no correction was found."""


class SearchOptions(TypedDict, total=False):
    """The optional arguments of `SearchIndex.search`, which documents them and gives their defaults."""

    limit: int
    offset: int
    explain: bool
    grouped: bool
    order: str
    with_facets: bool
    verbatim: bool


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The answer to a query: the hits from `offset` on, notes, facets and, if no page has all words, alternatives."""

    query: str
    hits: tuple[Hit, ...]
    offset: int
    total: int
    """Number of matching pages."""
    is_exact: bool
    """Whether all matching pages were considered, rather than only those with the best text scores."""
    notes: tuple[str, ...]
    """How the query was interpreted where that differs from what was written, such as an operator without a value."""
    seconds: float
    facets: tuple[Facet, ...] = ()
    """Empty if no facets were requested, or if an earlier version built the index."""
    rescue: Rescue | None = None
    """Set only if no page has all words."""
