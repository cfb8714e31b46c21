"""One reading of a known sitemap: chunks in, the pages that it may speak of out."""

from __future__ import annotations

from collections.abc import Iterable

from hinterland.crawler.features.sitemaps.entries import (
    DEFAULT_BOUNDS,
    EntryKind,
    SitemapBounds,
    SitemapEntry,
    SitemapReading,
)
from hinterland.crawler.features.sitemaps.entry_sketch import EntrySketch
from hinterland.crawler.features.sitemaps.reader import SitemapReader
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import authority_of, path_of


class SitemapVisit:
    """Mutable; it knows nothing but what it is given, so another thread may feed it.

    sitemaps: the entries of an index, by canonical URL with their lastmod. foreign: how many entries were left out
    because it may not speak of them.
    """

    def __init__(
        self,
        url: str,
        hosts: frozenset[str],
        canonicaliser: Canonicaliser,
        content_type: str | None = None,
        bounds: SitemapBounds = DEFAULT_BOUNDS,
        *,
        folder_only: bool = False,
    ) -> None:
        """url: where it was read. hosts: of which it may speak, as `plain_host` has them. folder_only: and on its own
        host only of what lies in its folder or below.
        """
        self.url = url
        self.sitemaps: dict[str, float | None] = {}
        self.foreign = 0
        self.has_articles = False
        self._hosts = hosts
        self._folder = path_of(url).partition("?")[0].rpartition("/")[0] + "/" if folder_only else "/"
        self._canonicaliser = canonicaliser
        self._reader = SitemapReader(content_type, bounds, url)
        self._sketch = EntrySketch()

    @property
    def is_finished(self) -> bool:
        """Whether nothing that may follow will be looked at."""
        return self._reader.is_finished

    @property
    def reading(self) -> SitemapReading:
        return self._reader.reading

    @property
    def sketch(self) -> bytes:
        return self._sketch.packed()

    def feed(self, chunk: bytes) -> list[SitemapEntry]:
        """Pages and articles, by canonical URL."""
        return self._accepted(self._reader.feed(chunk))

    def close(self) -> list[SitemapEntry]:
        return self._accepted(self._reader.close())

    def _accepted(self, entries: Iterable[SitemapEntry]) -> list[SitemapEntry]:
        accepted = []
        for entry in entries:
            url = self._canonicaliser.canonical(self._with_scheme(entry.url), self.url)
            if url is None:
                continue
            if not self._may_name(url):
                self.foreign += 1
                continue
            self._sketch.add(url, entry.lastmod)
            if entry.what is EntryKind.SITEMAP:
                self.sitemaps.setdefault(url, entry.lastmod)
            else:
                self.has_articles |= entry.what is EntryKind.ARTICLE
                accepted.append(SitemapEntry(url, entry.lastmod, entry.what))
        return accepted

    def _may_name(self, url: str) -> bool:
        host = plain_host(url)
        return host in self._hosts and (host != plain_host(self.url) or path_of(url).startswith(self._folder))

    def _with_scheme(self, url: str) -> str:
        """Some sitemaps say "www.a.example/page", and mean no folder of that name."""
        authority = authority_of(self.url)
        if url.partition("/")[0] != authority:
            return url
        return f"{self.url.partition(authority)[0]}{url}"


def plain_host(url: str) -> str:
    """The authority of a canonical URL without "www.": sitemaps of https://www.a.example list http://a.example, and
    mean themselves.
    """
    return authority_of(url).removeprefix("www.")
