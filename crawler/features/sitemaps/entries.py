"""What a sitemap or a feed says, and how its reading ended: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class EntryKind(StrEnum):
    """What an entry is about."""

    PAGE = "page"
    SITEMAP = "sitemap"  # of an index: another sitemap
    ARTICLE = "article"  # of a feed, or with the news extension


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """url: as it stands, perhaps relative; resolved where there is an xml:base. lastmod: epoch seconds; when it was
    last changed, or of articles that do not say so, published. None if it says neither.

    A lastmod without a time of day is the beginning of that day in UTC, so a change is not told by comparing it with
    the time of a visit, but with the lastmod that was there before.
    """

    url: str
    lastmod: float | None
    what: EntryKind


class SitemapForm(StrEnum):
    """In which form it is written."""

    UNKNOWN = "unknown"
    URLSET = "urlset"
    INDEX = "sitemapindex"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"
    RDF = "rdf"  # RSS 0.90 and 1.0


class SitemapOutcome(StrEnum):
    """How the reading of one ended. Whatever was read before counts."""

    WHOLE = "whole"
    EMPTY = "empty"  # nothing, or white space
    HTML = "html"  # a page instead, most often an error message with status 200
    NO_SITEMAP = "no_sitemap"  # neither a sitemap nor a feed
    NOT_WELL_FORMED = "not_well_formed"
    TRUNCATED = "truncated"
    WRONG_ENCODING = "wrong_encoding"  # read to its end, but not all of it is text in its encoding
    DECLARES = "declares"  # in a DTD of its own: entities, which were left out, or attributes, where its reading ended
    CORRUPT = "corrupt"  # it cannot be unpacked
    BOMB = "bomb"  # packed, and a hundred times too large for that
    TOO_LARGE = "too_large"
    TOO_MANY_ENTRIES = "too_many_entries"  # those left out counted
    TOO_MANY_ELEMENTS = "too_many_elements"  # or references, or comments
    TOO_DEEP = "too_deep"  # elements in elements
    TOO_MANY_NAMES = "too_many_names"  # of elements and attributes
    TAG_TOO_LONG = "tag_too_long"


@dataclass(frozen=True, slots=True)
class SitemapReading:
    """How far a reading has come, or how it ended.

    entries: how many were handed out. left_out: those without a URL, or with one that is too long or unreadable.
    bytes: read, after unpacking. detail: what else is to be said of the outcome, or "".
    """

    form: SitemapForm
    outcome: SitemapOutcome
    entries: int
    left_out: int
    bytes: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapBounds:
    """max_bytes: after unpacking. It, max_entries and max_url_characters are by default what sitemaps.org allows.
    block_bytes: read at a time; the memory that a reading takes is a few blocks.
    """

    max_bytes: int = 52_428_800
    max_entries: int = 50_000
    max_url_characters: int = 2_048
    block_bytes: int = 1 << 14


DEFAULT_BOUNDS: Final = SitemapBounds()


class ReadingEnds(Exception):
    """A sitemap is read no further."""

    def __init__(self, outcome: SitemapOutcome, detail: str = "") -> None:
        self.outcome = outcome
        self.detail = detail
        super().__init__(f"{outcome}: {detail}")
