"""The rows of all sitemaps by URL, host and index, and which are new to the store or changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from heapq import nsmallest

from hinterland.crawler.features.sitemaps.rows import SitemapRow, SitemapSource


class RowTable:
    """The rows of all sitemaps. Mutable."""

    def __init__(self, rows: Iterable[SitemapRow]) -> None:
        """Start with the rows that are in the store."""
        self._rows: dict[str, SitemapRow] = {}
        self._of_host: defaultdict[str, set[str]] = defaultdict(set)
        self._of_index: defaultdict[str, set[str]] = defaultdict(set)
        self._changed = set[str]()
        self._forgotten = set[str]()
        for row in rows:
            self._enter(row)

    def get(self, url: str) -> SitemapRow | None:
        """Return the row of a URL, or None."""
        return self._rows.get(url)

    def all(self) -> Iterable[SitemapRow]:
        """Return all rows."""
        return self._rows.values()

    def has_host(self, host: str) -> bool:
        """Return whether a host has any row."""
        return bool(self._of_host.get(host))

    def of_host(self, host: str) -> list[SitemapRow]:
        """Return the rows of a host by URL."""
        return [self._rows[url] for url in sorted(self._of_host.get(host, ()))]

    def asked(self, host: str) -> list[SitemapRow]:
        """Return the rows of a host that are not retired."""
        return [row for row in self.of_host(host) if row.retired is None]

    def of_index(self, url: str) -> list[SitemapRow]:
        """Return the rows of the sitemaps that an index names or has named."""
        return [self._rows[each] for each in sorted(self._of_index.get(url, ()))]

    def add(self, row: SitemapRow) -> None:
        """Add a new row."""
        self._enter(row)
        self._changed.add(row.url)

    def file_under(self, row: SitemapRow, index: str | None) -> None:
        """Note that `index`, or the host's robots.txt if `index` is None, names the sitemap of a row now."""
        if row.index is not None:
            self._of_index[row.index].discard(row.url)
        row.index = index
        if index is not None:
            self._of_index[index].add(row.url)

    def note_change(self, row: SitemapRow) -> None:
        """Note that a row has changed."""
        self._changed.add(row.url)

    def forget_retired(self, host: str, keep: int) -> None:
        """Forget the retired sitemaps that indexes of a host named, except the `keep` that were retired last."""
        retired = [row for row in self.of_host(host) if row.retired and row.source is SitemapSource.INDEX]
        for row in nsmallest(len(retired) - keep, retired, key=lambda row: (row.retired_at or 0.0, row.url)):
            del self._rows[row.url]
            self._of_host[row.host].discard(row.url)
            if row.index is not None:
                self._of_index[row.index].discard(row.url)
            self._forgotten.add(row.url)

    def take_changed(self) -> tuple[list[SitemapRow], list[str]]:
        """Return the rows that changed since the last call, and the URLs of rows that were forgotten."""
        rows = [self._rows[url] for url in sorted(self._changed) if url in self._rows]
        forgotten = [url for url in sorted(self._forgotten) if url not in self._rows]
        self._changed.clear()
        self._forgotten.clear()
        return rows, forgotten

    def _enter(self, row: SitemapRow) -> None:
        self._rows[row.url] = row
        self._of_host[row.host].add(row.url)
        if row.index is not None:
            self._of_index[row.index].add(row.url)
