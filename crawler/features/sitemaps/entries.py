"""The entries of a sitemap or feed, and how its reading ended, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class EntryKind(StrEnum):
    """What an entry names."""

    PAGE = "page"
    SITEMAP = "sitemap"  # in an index: another sitemap
    ARTICLE = "article"  # in a feed, or with the news extension


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One entry of a sitemap or feed.

    `url` is as written, perhaps relative; only an xml:base is applied to it. `lastmod`, in epoch seconds, is when the
    page was last changed or, for articles without that, published; None if neither is given. A lastmod without a time
    of day is the beginning of that day in UTC. To find out whether the page has changed, compare it with an earlier
    lastmod, not with the time of a visit.
    """

    url: str
    lastmod: float | None
    what: EntryKind


class SitemapForm(StrEnum):
    """The format of a sitemap or feed."""

    UNKNOWN = "unknown"
    URLSET = "urlset"
    INDEX = "sitemapindex"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"
    RDF = "rdf"  # RSS 0.90 and 1.0


class SitemapOutcome(StrEnum):
    """How the reading of a sitemap ended. The entries read before the end are valid in any case."""

    WHOLE = "whole"
    EMPTY = "empty"  # nothing, or white space
    HTML = "html"  # a page instead, most often an error message with status 200
    NO_SITEMAP = "no_sitemap"  # neither a sitemap nor a feed
    NOT_WELL_FORMED = "not_well_formed"
    TRUNCATED = "truncated"
    WRONG_ENCODING = "wrong_encoding"  # read to its end, but not all of it is text in its encoding
    DECLARES = "declares"  # in its own DTD: entities, which were left out, or attributes, which ended its reading
    CORRUPT = "corrupt"  # it cannot be unpacked
    BOMB = "bomb"  # unpacked, it has more than a hundred times its packed size
    TOO_LARGE = "too_large"
    TOO_MANY_ENTRIES = "too_many_entries"  # including those left out
    TOO_MANY_ELEMENTS = "too_many_elements"  # or references, or comments
    TOO_DEEP = "too_deep"  # elements in elements
    TOO_MANY_NAMES = "too_many_names"  # of elements and attributes
    TAG_TOO_LONG = "tag_too_long"


@dataclass(frozen=True, slots=True)
class SitemapReading:
    """The progress of a reading, or how it ended.

    `entries` counts the entries returned. `left_out` counts entries whose URL is missing, too long or unreadable.
    `bytes` counts the bytes read, after unpacking. `detail` explains the outcome, or is "".
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

    `max_bytes` limits the bytes after unpacking. The defaults of `max_bytes`, `max_entries` and `max_url_characters`
    are the limits of sitemaps.org. `block_bytes` are read at a time; a reading takes the memory of a few such blocks.
    """

    max_bytes: int = 52_428_800
    max_entries: int = 50_000
    max_url_characters: int = 2_048
    block_bytes: int = 1 << 14


DEFAULT_BOUNDS: Final = SitemapBounds()


class ReadingEnds(Exception):
    """Raised to end the reading of a sitemap."""

    def __init__(self, outcome: SitemapOutcome, detail: str = "") -> None:
        """End the reading with an outcome, which `detail` explains."""
        self.outcome = outcome
        self.detail = detail
        super().__init__(f"{outcome}: {detail}")
