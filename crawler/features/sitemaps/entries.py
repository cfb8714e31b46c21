"""What a sitemap or a feed says, and how its reading ended: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class EntryKind(StrEnum):
    """What an entry is about."""

    PAGE = "page"
    SITEMAP = "sitemap"  # in an index: another sitemap
    ARTICLE = "article"  # in a feed, or with the news extension


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One entry.

    `url` is as written, perhaps relative; it is resolved where there is an xml:base. `lastmod`, in epoch seconds, is
    when it was last changed, or, for articles that do not say so, published; None if it says neither. A lastmod without
    a time of day is the beginning of that day in UTC. So a change cannot be detected by comparing it with the time of a
    visit, only with the lastmod that was there before.
    """

    url: str
    lastmod: float | None
    what: EntryKind


class SitemapForm(StrEnum):
    """The form in which it is written."""

    UNKNOWN = "unknown"
    URLSET = "urlset"
    INDEX = "sitemapindex"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"
    RDF = "rdf"  # RSS 0.90 and 1.0


class SitemapOutcome(StrEnum):
    """How the reading of one ended. Whatever was read before the end counts."""

    WHOLE = "whole"
    EMPTY = "empty"  # nothing, or white space
    HTML = "html"  # a page instead, most often an error message with status 200
    NO_SITEMAP = "no_sitemap"  # neither a sitemap nor a feed
    NOT_WELL_FORMED = "not_well_formed"
    TRUNCATED = "truncated"
    WRONG_ENCODING = "wrong_encoding"  # read to its end, but not all of it is text in its encoding
    DECLARES = "declares"  # in its own DTD: entities, which were left out, or attributes, which ended its reading
    CORRUPT = "corrupt"  # it cannot be unpacked
    BOMB = "bomb"  # packed, and a hundred times too large for that
    TOO_LARGE = "too_large"
    TOO_MANY_ENTRIES = "too_many_entries"  # including those left out
    TOO_MANY_ELEMENTS = "too_many_elements"  # or references, or comments
    TOO_DEEP = "too_deep"  # elements in elements
    TOO_MANY_NAMES = "too_many_names"  # of elements and attributes
    TAG_TOO_LONG = "tag_too_long"


@dataclass(frozen=True, slots=True)
class SitemapReading:
    """How far a reading has come, or how it ended.

    `entries` counts the entries handed out. `left_out` counts those without a URL, or with one that is too long or
    unreadable. `bytes` counts those read, after unpacking. `detail` says more about the outcome, or is "".
    """

    form: SitemapForm
    outcome: SitemapOutcome
    entries: int
    left_out: int
    bytes: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapBounds:
    """Bounds of a reading.

    `max_bytes` counts bytes after unpacking. By default it, `max_entries` and `max_url_characters` are what
    sitemaps.org allows. `block_bytes` are read at a time; a reading takes the memory of a few blocks.
    """

    max_bytes: int = 52_428_800
    max_entries: int = 50_000
    max_url_characters: int = 2_048
    block_bytes: int = 1 << 14


DEFAULT_BOUNDS: Final = SitemapBounds()


class ReadingEnds(Exception):
    """A sitemap is not read any further."""

    def __init__(self, outcome: SitemapOutcome, detail: str = "") -> None:
        """End the reading with an outcome; `detail` says more about it."""
        self.outcome = outcome
        self.detail = detail
        super().__init__(f"{outcome}: {detail}")
