"""Connects sitemaps and feeds with a crawl: when to request them, and signals that stored pages have changed. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from hinterland.crawler.features.recrawl.signals import SignalKind
from hinterland.crawler.features.sitemaps.entries import SitemapEntry
from hinterland.crawler.features.sitemaps.feed_names import is_named_as_feed
from hinterland.crawler.features.sitemaps.known_sitemaps import KnownSitemaps
from hinterland.crawler.features.sitemaps.reading_visit import SitemapVisit
from hinterland.crawler.features.sitemaps.rows import Retirement, SitemapRow, SitemapSource
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.values.sitemaps import SitemapsRecord, StoredSitemap

_AT_ONCE: Final = 16
"""At most this many sitemaps are queued at hosts at the same time."""
MOST_REDIRECTS: Final = 3
ASKER: Final = "sitemaps"
"""The name under which the frontier is asked for requests."""


class SignalReceiver(Protocol):
    """Receives signals about pages."""

    def signalled(self, page: int, kind: SignalKind, at: float) -> None:
        """Record a signal that a page changed at a time, in epoch seconds."""


@dataclass(slots=True)
class RequestedSitemap:
    """A sitemap that was requested. `url` is the URL of its row, `redirects` the redirects followed from there."""

    url: str
    redirects: int = 0


class Sitemaps:
    """The known sitemaps, when each is due, and which have been requested. Mutable."""

    def __init__(
        self, known: KnownSitemaps, canonicaliser: Canonicaliser, receiver: SignalReceiver | None = None
    ) -> None:
        """Start with nothing requested. `receiver` receives signals that stored pages have changed."""
        self._known = known
        self._canonicaliser = canonicaliser
        self._receiver = receiver
        self._asked: dict[str, RequestedSitemap] = {}
        self._lastmods: dict[int, float] = {}
        self._tally = Counter[str]()

    @property
    def is_busy(self) -> bool:
        """Whether a sitemap has been requested or is being read."""
        return bool(self._asked)

    def robots_read(self, host: str, sitemaps: Sequence[str], now: float) -> None:
        """Note the sitemaps that the robots.txt of a host, given by its URL, names."""
        urls = [url for each in sitemaps if (url := self._canonicaliser.canonical(each, f"{host}/")) is not None]
        self._known.robots_read(host, urls, now)

    def alternates_stored(self, host: str, alternates: Sequence[str], now: float) -> None:
        """Note the feeds, recognised by name, among the <link rel=alternate> of a host's front page."""
        self._known.feeds_found(host, [url for url in alternates if is_named_as_feed(url)], now)

    def page_visited(self, host: str) -> None:
        """Count a visit to a page of a host, which allows more requests for its sitemaps."""
        self._known.page_visited(host)

    def send_due(self, frontier: Frontier, host_number: Callable[[str], int | None], now: float) -> float | None:
        """Queue due sitemaps at their hosts; return when to check again, None if no check is needed."""
        for url in [each for each in self._asked if self._is_lost(each, frontier, host_number)]:
            self.failed(url, None, now)
        while len(self._asked) < _AT_ONCE and (row := self._known.next_due(now)) is not None:
            if not self._is_on_its_way(row.url):  # a host may rest for longer than a day
                self._send(frontier, host_number, row.url, RequestedSitemap(row.url), now)
        return self._known.next_at() if len(self._asked) < _AT_ONCE else None

    def row_of(self, url: str) -> SitemapRow | None:
        """Return the row of the sitemap that was requested at this URL, or None."""
        asked = self._asked.get(url)
        return None if asked is None else self._known.row(asked.url)

    def needs_permission(self, url: str) -> bool:
        """Return whether a request for this URL needs the permission of robots.txt.

        A URL that the host's own robots.txt names as a sitemap does not need it.
        """
        row = self.row_of(url)
        if row is None or row.source is not SitemapSource.ROBOTS:
            return True
        return row.url != url or row.host != host_of(url)

    # ---------------------------------------------------------------- what came of it

    def moved(
        self, url: str, to: str, frontier: Frontier, host_number: Callable[[str], int | None], now: float
    ) -> None:
        """Follow a redirect of a requested sitemap, at most MOST_REDIRECTS times."""
        asked = self._asked.pop(url)
        if asked.redirects >= MOST_REDIRECTS or to in self._asked:
            self._known.failed(asked.url, None, now)
            return
        self._send(frontier, host_number, to, RequestedSitemap(asked.url, asked.redirects + 1), now)

    def not_modified(self, url: str, now: float) -> None:
        """Record the answer 304."""
        self._tally["not_modified"] += 1
        self._known.not_modified(self._asked.pop(url).url, now)

    def failed(self, url: str, status: int | None, now: float) -> None:
        """Record a failed request: `status` is the error status, or None if there was no answer."""
        self._tally["failed"] += 1
        self._known.failed(self._asked.pop(url).url, status, now)

    def asks_for(self, url: str) -> bool:
        """Return whether a sitemap has been requested at this URL, and the request has no outcome yet."""
        return url in self._asked

    def put_off(self, url: str) -> None:
        """Note that a visit was cut short or its host did not answer; the sitemap will be due again later."""
        self._asked.pop(url, None)

    def visit(self, url: str, content_type: str | None) -> SitemapVisit:
        """Return a visit, to which the body must be fed, in any thread."""
        return self._known.visit(self._asked[url].url, self._canonicaliser, content_type)

    def read(self, url: str, visit: SitemapVisit, now: float, etag: str | None, last_modified: str | None) -> None:
        """Record a closed visit; `etag` and `last_modified` are from the header of the answer."""
        self._tally["read"] += 1
        self._asked.pop(url)
        self._known.read(visit, now, etag=etag, last_modified=last_modified)

    def entry(self, page: int, entry: SitemapEntry, kind: SignalKind, *, visited_at: float | None) -> None:
        """Record that a sitemap lists a page, and signal the page if it has changed.

        `visited_at` is when the stored version of the page was last visited, None if there is none. A lastmod may have
        no time of day, so it is compared with the page's previous lastmod, and a later lastmod means a change. Without
        a previous lastmod, a lastmod after the last visit means a change.
        """
        lastmod = entry.lastmod
        if lastmod is None:
            return
        before = self._lastmods.get(page)
        self._lastmods[page] = lastmod
        has_changed = lastmod > before if before is not None else visited_at is not None and lastmod > visited_at
        if has_changed and visited_at is not None and self._receiver is not None:
            self._tally["signals"] += 1
            self._receiver.signalled(page, kind, lastmod)

    def changed(self) -> SitemapsRecord | None:
        """Return the changed rows for the store, None if nothing changed."""
        rows, gone = self._known.take_changed()
        if not rows and not gone:
            return None
        return SitemapsRecord([stored_sitemap(row) for row in rows], gone)

    def statistics(self) -> dict[str, int]:
        """Return the numbers of sitemaps read, unchanged and failed, and of signals, by name."""
        return dict(self._tally.most_common())

    def _is_on_its_way(self, url: str) -> bool:
        return any(asked.url == url for asked in self._asked.values())

    @staticmethod
    def _is_lost(url: str, frontier: Frontier, host_number: Callable[[str], int | None]) -> bool:
        """Return whether the host of a requested sitemap was given up before the request."""
        host = host_number(url)
        return host is None or frontier.politeness_of(host).given_up

    def _send(
        self,
        frontier: Frontier,
        host_number: Callable[[str], int | None],
        url: str,
        asked: RequestedSitemap,
        now: float,
    ) -> None:
        host = host_number(url)
        if host is not None and frontier.ask_file(host, url, now, ASKER):
            self._asked[url] = asked


def stored_sitemap(row: SitemapRow) -> StoredSitemap:
    """Return a row as the store keeps it."""
    return StoredSitemap(**{name: getattr(row, name) for name in StoredSitemap.__dataclass_fields__})


def restored_row(stored: StoredSitemap) -> SitemapRow:
    """Return the row of a stored sitemap."""
    values = {name: getattr(stored, name) for name in StoredSitemap.__dataclass_fields__}
    values["source"] = SitemapSource(stored.source)
    values["retired"] = None if stored.retired is None else Retirement(stored.retired)
    return SitemapRow(**values)
