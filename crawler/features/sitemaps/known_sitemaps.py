"""The sitemaps and feeds of all hosts: which are known, when to request each, and which are retired.

robots.txt was read       -> robots_read(host, sitemaps, now)
a front page has feeds    -> feeds_found(host, feeds, now)
a page was visited        -> page_visited(host)
is anything due?          -> next_due(now): a row; next_at() says when to ask again
request it, conditionally -> visit(row.url, ...) if there is a body, which is fed to the visit
record the result         -> read(visit, now, ...), not_modified(url, now), failed(url, status, now)
what is to be stored      -> take_changed(): rows, which `KnownSitemaps(rows)` takes back
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.features.sitemaps import reading_intervals as answers
from hinterland.crawler.features.sitemaps.due_sitemaps import DueSitemaps
from hinterland.crawler.features.sitemaps.entries import DEFAULT_BOUNDS, SitemapBounds, SitemapOutcome
from hinterland.crawler.features.sitemaps.host_budget import DEFAULT_BUDGET, BudgetLimits
from hinterland.crawler.features.sitemaps.reading_intervals import ReadingIntervals
from hinterland.crawler.features.sitemaps.reading_visit import SitemapVisit, plain_host
from hinterland.crawler.features.sitemaps.row_table import RowTable
from hinterland.crawler.features.sitemaps.rows import COME_BACK, Retirement, SitemapRow, SitemapSource
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.values.times import DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapLimits:
    """Limits of the number of sitemaps that are kept and requested.

    At most `per_host` sitemaps of a host are requested, including at most `feeds_per_host` feeds. At most
    `retired_per_host` retired sitemaps are remembered. `depth` is how deep indexes may be nested. With
    `own_folder_only`, a sitemap that its host's robots.txt does not name may list only URLs in its own folder.
    """

    per_host: int = 1_000
    retired_per_host: int = 10_000
    feeds_per_host: int = 10
    depth: int = 3
    own_folder_only: bool = False
    budget: BudgetLimits = DEFAULT_BUDGET


DEFAULT_LIMITS: Final = SitemapLimits()
DEFAULT_INTERVALS: Final = ReadingIntervals()


class KnownSitemaps:
    """The sitemaps of all hosts. Hosts are given as `host_of` returns them, URLs are canonical. Mutable."""

    def __init__(
        self,
        rows: Iterable[SitemapRow] = (),
        *,
        limits: SitemapLimits = DEFAULT_LIMITS,
        intervals: ReadingIntervals = DEFAULT_INTERVALS,
    ) -> None:
        """Start with rows from the store."""
        self._limits = limits
        self._intervals = intervals
        self._rows = RowTable(rows)
        self._named_by: dict[str, set[str]] = {}
        """URL of a sitemap -> the hosts whose robots.txt names it, as `plain_host` returns them."""
        self._left_out: dict[str, int] = {}
        self._names: dict[str, frozenset[str]] = {}
        """Host, as `plain_host` returns it -> the sitemaps that its robots.txt names."""
        self._due = DueSitemaps(self._rows, limits.budget)

    # ---------------------------------------------------------------- known sitemaps

    def row(self, url: str) -> SitemapRow | None:
        """Return the row of a sitemap, or None."""
        return self._rows.get(url)

    def of_host(self, host: str) -> list[SitemapRow]:
        """Return the rows of a host's sitemaps by URL, retired ones included."""
        return self._rows.of_host(host)

    def left_out(self, host: str) -> int:
        """Return how many sitemaps of a host are left out, because the host names too many or nests them too deep."""
        places = (host, f"{host}/", *(row.url for row in self._rows.of_host(host)))
        return sum(self._left_out.get(place, 0) for place in places)

    def take_changed(self) -> tuple[list[SitemapRow], list[str]]:
        """Return the rows that changed since the last call, and the URLs of rows to be deleted."""
        return self._rows.take_changed()

    # ---------------------------------------------------------------- who names them

    def robots_read(self, host: str, sitemaps: Sequence[str], now: float) -> None:
        """Note the sitemaps that a host's robots.txt names; if it names none, /sitemap.xml is tried.

        This must be called again after a restart, because rows do not say which robots.txt files name a sitemap.
        """
        plain, named = plain_host(f"{host}/"), frozenset(sitemaps)
        for url in self._names.get(plain, frozenset()) - named:
            self._named_by[url].discard(plain)
        for url in named:
            self._named_by.setdefault(url, set()).add(plain)
        self._names[plain] = named
        for row in self._rows.of_host(host):
            if named and row.url not in named and row.source in (SitemapSource.ROBOTS, SitemapSource.GUESSED):
                self._retire(row, Retirement.NOT_NAMED, now)
        self._name([SitemapRow(url, host, SitemapSource.ROBOTS, now) for url in sitemaps], host, now)
        if all(row.source in (SitemapSource.FEED, SitemapSource.GUESSED) for row in self._rows.of_host(host)):
            self._name([SitemapRow(f"{host}/sitemap.xml", host, SitemapSource.GUESSED, now)], host, now)

    def feeds_found(self, host: str, feeds: Sequence[str], now: float) -> None:
        """Note the feeds that the front page of a host names; feeds of other hosts are ignored."""
        own = [feed for feed in feeds if plain_host(feed) == plain_host(f"{host}/")][: self._limits.feeds_per_host]
        self._name([SitemapRow(feed, host, SitemapSource.FEED, now) for feed in own], f"{host}/", now)

    # ---------------------------------------------------------------- which is next

    def page_visited(self, host: str) -> None:
        """Count a visit to a page of a host, which allows more requests for its sitemaps."""
        self._due.page_visited(host)

    def next_due(self, now: float) -> SitemapRow | None:
        """Return the row of a sitemap to request now, or None.

        If no outcome is recorded for it, it is due again after a day.
        """
        row = self._due.pop(now)
        if row is not None:
            self._wait_until(row, now + DAY)
        return row

    def next_at(self) -> float | None:
        """Return the earliest time at which a sitemap may be due; None if none will be."""
        return self._due.next_at()

    def visit(
        self,
        url: str,
        canonicaliser: Canonicaliser,
        content_type: str | None = None,
        bounds: SitemapBounds = DEFAULT_BOUNDS,
    ) -> SitemapVisit:
        """Return a visit, to which the body of a known sitemap must be fed.

        The sitemap may list pages of its own host, and of hosts whose robots.txt names it or an index that contains it
        (sitemaps.org, "Sitemaps & Cross Submits").
        """
        named: set[str] = set()
        own, above = plain_host(url), self._rows.get(url)
        for _ in range(self._limits.depth + 1):
            if above is not None:
                named |= self._named_by.get(above.url, set())
                above = None if above.index is None else self._rows.get(above.index)
        folder_only = self._limits.own_folder_only and own not in named
        return SitemapVisit(url, frozenset(named | {own}), canonicaliser, content_type, bounds, folder_only=folder_only)

    # ---------------------------------------------------------------- what came of it

    def read(
        self, visit: SitemapVisit, now: float, *, etag: str | None = None, last_modified: str | None = None
    ) -> None:
        """Record a closed visit; `etag` and `last_modified` are from the header of the answer."""
        row = self._rows.get(visit.url)
        if row is None:
            return
        reading = visit.reading
        answers.was_read(row, reading, visit.sketch, self._intervals, now, has_articles=visit.has_articles)
        row.etag, row.last_modified = (None, None) if row.failures else (etag, last_modified)
        if row.retired is Retirement.MINTS_SITEMAPS:
            for each in self._rows.of_index(row.url):
                self._retire(each, Retirement.MINTS_SITEMAPS, now)
        elif row.retired is None:
            self._index_read(row, visit.sitemaps, now, is_whole=reading.outcome is SitemapOutcome.WHOLE)
        self._wait_until(row, row.next_at)

    def not_modified(self, url: str, now: float) -> None:
        """Record the answer 304."""
        if (row := self._rows.get(url)) is not None:
            answers.not_modified(row, self._intervals, now)
            self._wait_until(row, row.next_at)

    def failed(self, url: str, status: int | None, now: float) -> None:
        """Record a failed request: `status` is the error status, or None if there was no answer."""
        if (row := self._rows.get(url)) is not None:
            answers.failed(row, status, self._intervals, now)
            self._wait_until(row, row.next_at)

    # ---------------------------------------------------------------- inside

    def _index_read(self, index: SitemapRow, named: Mapping[str, float | None], now: float, *, is_whole: bool) -> None:
        """Add the sitemaps that an index names, newest first, up to the limit per host.

        Sitemaps that the index no longer names are retired.
        """
        for row in self._rows.of_index(index.url) if is_whole else ():
            if row.url not in named and row.source is SitemapSource.INDEX:
                self._retire(row, Retirement.NOT_NAMED, now)
        if index.depth >= self._limits.depth:
            self._left_out[index.url] = len(named)
            return
        newest = sorted(named.items(), key=lambda item: -(item[1] or 0.0))
        rows = [
            SitemapRow(
                url=url,
                host=index.host,
                source=SitemapSource.INDEX,
                next_at=now,
                index=index.url,
                depth=index.depth + 1,
                named_lastmod=lastmod,
            )
            for url, lastmod in newest
            if url != index.url
        ]
        self._name(rows, index.url, now)
        self._rows.forget_retired(index.host, self._limits.retired_per_host)

    def _name(self, named: Sequence[SitemapRow], place: str, now: float) -> None:
        """Add the rows that the host or index `place` names, up to the limit per host."""
        room = self._limits.per_host - len(self._rows.asked(named[0].host)) if named else 0
        self._left_out.pop(place, None)
        for each in named:
            row = self._rows.get(each.url)
            if row is not None:
                self._named_again(row, each, now)
            elif room > 0:
                room -= 1
                self._rows.add(each)
                self._wait_until(each, now)
            else:
                self._left_out[place] = self._left_out.get(place, 0) + 1

    def _named_again(self, row: SitemapRow, named: SitemapRow, now: float) -> None:
        is_no_guess_now = row.source is SitemapSource.GUESSED and named.source is not row.source
        if is_no_guess_now:
            row.source = named.source
            self._rows.note_change(row)
        is_moved = named.named_lastmod is not None and named.named_lastmod != row.named_lastmod
        if is_moved:
            row.named_lastmod = named.named_lastmod
            self._rows.note_change(row)
        if row.retired is None:
            if is_moved and row.fetched_at is not None and not row.failures:
                self._wait_until(row, now)
        elif is_no_guess_now or row.retired is Retirement.NOT_NAMED or (is_moved and row.retired in COME_BACK):
            self._rows.file_under(row, named.index)
            answers.take_up(row, now)
            self._wait_until(row, now)
        elif answers.may_be_tried(row, self._intervals, now):
            self._rows.file_under(row, named.index)
            answers.try_again(row, now)
            self._wait_until(row, now)

    def _retire(self, row: SitemapRow, reason: Retirement, now: float) -> None:
        if row.retired is None:
            answers.retire(row, reason, now)
            self._rows.note_change(row)

    def _wait_until(self, row: SitemapRow, at: float) -> None:
        row.next_at = at
        self._rows.note_change(row)
        self._due.push(row)
