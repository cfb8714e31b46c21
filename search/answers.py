"""What a search answers, as plain values. What was crawled is hostile text: whoever shows it escapes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict


class QueryError(Exception):
    """A query that cannot be answered; the message names the part that is wrong and the way out."""


FACETS = ("site", "host", "folder", "language", "type", "year", "topic")
"""What the pages that match are counted by."""
MOST_HITS = 100
"""In one answer."""
MOST_OFFSET = 1_000
"""Nobody pages further; each page costs as much as all before it."""
ORDERS = ("", "date")
"""How hits are ordered: by score, or the latest date first."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A run of text in a snippet or a title."""

    text: str
    is_match: bool
    """It matches a word of the query."""


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One addend of a score, for `search --explain`."""

    name: str
    value: float
    detail: str = ""
    """How it came about, in words or as the formula with its numbers."""


@dataclass(frozen=True, slots=True)
class IndexedRank:
    """The PageRank of a page among the documents of an index."""

    place: int
    """From 1."""
    documents: int
    times_average: float
    is_of_web: bool
    """As the whole web sees it, and not by the links of the domain alone."""
    estimator: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that answers a query."""

    page: int
    """Its number in the store."""
    url: str
    title: tuple[Fragment, ...]
    """Empty if the page has none."""
    snippet: tuple[Fragment, ...]
    host: str
    """Scheme and authority."""
    language: str
    """BCP 47 primary tag, or "" if unknown."""
    fetched_at: float
    """Epoch seconds."""
    score: float
    parts: tuple[ScorePart, ...]
    """They add up to the score."""
    copies: int
    """Further URLs with the same content, folded into this hit."""
    lacks: tuple[str, ...]
    """Words of the query that it does not have, if few pages have all; those come first, whatever their scores are."""
    dated: float | None = None
    """The date that it bears, or its server says; epoch seconds."""
    site: str = ""
    """Registrable domain."""
    is_last_of_site: bool = False
    """More hits of its site follow on later pages of the answer: they made way for others."""
    store: str = ""
    """That has the page, where several are searched."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    """So many of the pages that match have this value; `query` finds those alone."""

    value: str
    pages: int
    query: str


@dataclass(frozen=True, slots=True)
class Facet:
    """The pages that match, counted by one of FACETS."""

    name: str
    values: tuple[FacetValue, ...]
    """Those that most have first; years, the latest first."""
    others: int
    """How many pages have other values."""


@dataclass(frozen=True, slots=True)
class OtherQuery:
    """A query to ask instead."""

    query: str
    pages: int
    """That answer it."""


@dataclass(frozen=True, slots=True)
class Rescue:
    """The ways on from a query of which no page has all words."""

    corrected: str
    """The query that the hits answer, spelt otherwise; "" if they answer the one that was asked."""
    corrections: tuple[OtherQuery, ...]
    """Spelt otherwise, the likeliest first, without `corrected`."""
    unknown: tuple[str, ...]
    """Words that no page has in any form."""
    wider: tuple[OtherQuery, ...]
    """Without one of its conditions, if it cannot be corrected."""


class SearchOptions(TypedDict, total=False):
    """What is asked beside the query, as SearchIndex.search has it; that has the defaults, too."""

    limit: int
    offset: int
    explain: bool
    grouped: bool
    order: str
    with_facets: bool
    verbatim: bool


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The best hits from `offset` on."""

    query: str
    hits: tuple[Hit, ...]
    offset: int
    total: int
    """How many pages match."""
    is_exact: bool
    """The order is that of all matching pages, not only of those with the best text scores."""
    notes: tuple[str, ...]
    """What was understood otherwise than written, such as an operator without a value."""
    seconds: float
    facets: tuple[Facet, ...] = ()
    """Empty unless they were asked for, or if the index is of an earlier version."""
    rescue: Rescue | None = None
    """Only if no page has all words."""
