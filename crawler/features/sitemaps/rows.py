"""What is kept of one sitemap or feed from one reading to the next: a plain row."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SitemapSource(StrEnum):
    """Who says that it is there."""

    ROBOTS = "robots"  # robots.txt of its host, or of another
    GUESSED = "guessed"  # nobody: /sitemap.xml of a host whose robots.txt names none
    INDEX = "index"
    FEED = "feed"  # pages, by <link rel=alternate>


class Retirement(StrEnum):
    """Why one is not asked any more. Those that come back do so when an index gives them another lastmod. Any that is
    still named is tried again after a while (`may_be_tried`).
    """

    NOT_NAMED = "not_named"  # its index, or robots.txt, names it no longer; comes back as soon as it is named
    DEAD = "dead"  # unchanged for long, being one of an index; comes back
    GONE = "gone"  # 404 for a day, or 410; comes back
    FAILING = "failing"  # no answer, or an error of the server's, for a week; comes back
    NO_SITEMAP = "no_sitemap"  # something else is there
    HOSTILE = "hostile"  # a bomb
    MINTS_URLS = "mints_urls"  # it names other URLs whenever it is read
    MINTS_SITEMAPS = "mints_sitemaps"  # an index that names other sitemaps whenever it is read, or one that it named


COME_BACK = frozenset({Retirement.NOT_NAMED, Retirement.DEAD, Retirement.GONE, Retirement.FAILING})


@dataclass(slots=True)
class SitemapRow:
    """Mutable. Times are epoch seconds.

    host: on whose behalf it is read, "https://a.example". index: URL of the index that names it; depth: how many
    indexes lie above it. named_lastmod: what that index says. etag, last_modified: of the last answer with a body.
    changed_at: when a reading last showed a change; next_at: when to ask again; interval: seconds from the last reading
    to the next, 0 before the first. entries: at the last reading.
    changed_share: of them, new or with another lastmod, as a mean over readings in which the last counts a half.
    failures: in a row, since failed_at; mints: readings in a row with hardly a URL of the one before. sketch: see
    entry_sketch.
    """

    url: str
    host: str
    source: SitemapSource
    next_at: float
    index: str | None = None
    depth: int = 0
    named_lastmod: float | None = None
    etag: str | None = None
    last_modified: str | None = None
    fetched_at: float | None = None
    changed_at: float | None = None
    readings: int = 0
    entries: int = 0
    changed_share: float = 0.0
    interval: float = 0.0
    failures: int = 0
    failed_at: float | None = None
    mints: int = 0
    sketch: bytes = b""
    retired: Retirement | None = None
    retired_at: float | None = None
