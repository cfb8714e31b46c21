"""Sitemaps and feeds as the store keeps them: plain values, in the columns of their table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredSitemap:
    """A sitemap or feed. crawler.features.sitemaps.rows explains the fields; times are epoch seconds."""

    url: str
    host: str
    source: str
    next_at: float
    index: str | None
    depth: int
    named_lastmod: float | None
    etag: str | None
    last_modified: str | None
    fetched_at: float | None
    changed_at: float | None
    readings: int
    entries: int
    changed_share: float
    interval: float
    failures: int
    failed_at: float | None
    mints: int
    sketch: bytes
    retired: str | None
    retired_at: float | None


@dataclass(frozen=True, slots=True)
class SitemapsRecord:
    """Sitemaps that have changed, and the URLs of sitemaps to delete (`gone`)."""

    changed: Sequence[StoredSitemap]
    gone: Sequence[str]
