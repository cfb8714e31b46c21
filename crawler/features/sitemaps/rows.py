"""The row that is kept about one sitemap or feed between readings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SitemapSource(StrEnum):
    """By what a sitemap is known, such as a robots.txt or an index."""

    ROBOTS = "robots"  # robots.txt of its host, or of another
    GUESSED = "guessed"  # nothing: /sitemap.xml of a host whose robots.txt names none
    INDEX = "index"
    FEED = "feed"  # a front page, by <link rel=alternate>


class Retirement(StrEnum):
    """Why a sitemap is no longer requested.

    A retired sitemap may be requested again when an index gives it another lastmod. A sitemap that is still named is
    also tried again after some time (`may_be_tried`).
    """

    NOT_NAMED = "not_named"  # its index, or robots.txt, names it no longer; comes back as soon as it is named
    DEAD = "dead"  # from an index, and unchanged for long; comes back
    GONE = "gone"  # 404 for a day, or 410; comes back
    FAILING = "failing"  # no answer, or a server error, for a week; comes back
    NO_SITEMAP = "no_sitemap"  # something else is there
    HOSTILE = "hostile"  # a bomb
    MINTS_URLS = "mints_urls"  # it lists other URLs at every reading
    MINTS_SITEMAPS = (
        "mints_sitemaps"  # an index that lists other sitemaps at every reading, or a sitemap that it listed
    )


COME_BACK = frozenset({Retirement.NOT_NAMED, Retirement.DEAD, Retirement.GONE, Retirement.FAILING})


@dataclass(slots=True)
class SitemapRow:
    """A sitemap or feed. Mutable. Times are epoch seconds.

    `host` is the host for which it is read, such as "https://a.example". `index` is the URL of the index that names it,
    `depth` the number of indexes above it, and `named_lastmod` its lastmod in that index. `etag` and `last_modified`
    come from the last answer with a body. `changed_at` is when a reading last showed a change, `next_at` when to
    request it again, and `interval` the seconds from the last reading to the next, 0 before the first reading.
    `entries` is the number of entries in the last reading. `changed_share` is the share of entries that were new or had
    another lastmod, as a running mean in which the last reading counts one half. `failures` counts consecutive
    failures, the first of them at `failed_at`. `mints` counts consecutive readings that shared hardly any URL with the
    previous one. For `sketch` see entry_sketch.
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
