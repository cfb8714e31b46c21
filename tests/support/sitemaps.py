"""Sitemaps to be read."""

from __future__ import annotations

import gzip
from collections.abc import Iterable

from hinterland.crawler.features.sitemaps.entries import DEFAULT_BOUNDS, SitemapBounds, SitemapReading
from hinterland.crawler.features.sitemaps.reader import read_sitemap


def urlset(*urls: str, tail: str = "</urlset>") -> bytes:
    """One with these URLs, as they stand."""
    rows = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}{tail}'.encode()


def packed(body: bytes) -> bytes:
    """The same bytes at any time."""
    return gzip.compress(body, mtime=0)


def urls_of(
    body: bytes, content_type: str | None = None, bounds: SitemapBounds = DEFAULT_BOUNDS
) -> tuple[list[str], SitemapReading]:
    entries, reading = read_sitemap(pieces(body, 1 << 16), content_type, bounds)
    return [entry.url for entry in entries], reading


def pieces(body: bytes, size: int) -> Iterable[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))
