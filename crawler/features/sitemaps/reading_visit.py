"""One reading of a known sitemap: takes chunks of its body, and returns the pages that it may list."""

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
    """One reading of a sitemap. Mutable; another thread may feed it.

    `sitemaps` maps the canonical URLs in an index to their lastmod. `foreign` counts the entries that were left out
    because the sitemap may not list them.
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
        """Read the sitemap at `url`.

        The sitemap may list pages of `hosts`, given as `plain_host` returns them. With `folder_only`, listed pages of
        its own host must be in its folder or below.
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
        """Whether the reading has ended, so that further chunks would be ignored."""
        return self._reader.is_finished

    @property
    def reading(self) -> SitemapReading:
        """The progress of the reading, or how it ended."""
        return self._reader.reading

    @property
    def sketch(self) -> bytes:
        """The sketch of the entries so far, for `change_between`."""
        return self._sketch.packed()

    def feed(self, chunk: bytes) -> list[SitemapEntry]:
        """Read the next chunk; return the pages and articles that are complete now, with canonical URLs."""
        return self._accepted(self._reader.feed(chunk))

    def close(self) -> list[SitemapEntry]:
        """End the reading after the last chunk; return the last pages and articles."""
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
        """Add the scheme to a URL such as "www.a.example/page", which some sitemaps write without it."""
        authority = authority_of(self.url)
        if url.partition("/")[0] != authority:
            return url
        return f"{self.url.partition(authority)[0]}{url}"


def plain_host(url: str) -> str:
    """Return the authority of a canonical URL without "www.".

    This way http://a.example is recognised as the same site in a sitemap of https://www.a.example.
    """
    return authority_of(url).removeprefix("www.")
