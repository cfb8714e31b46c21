"""The table of the pages that sitemaps list, for audits. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from hinterland.crawler.features.sitemaps.entries import SitemapEntry
from hinterland.crawler.parsing.extraction.tables import table_of_feature
from hinterland.storage.values.extraction import ExtractedRecord

TABLE: Final = "sitemap_entries"
ENTRIES: Final = table_of_feature(TABLE, {"sitemap": "url", "read_at": "number", "lastmod": "number"})
"""One record for each page in sitemaps. If several sitemaps list a page, it is about the one that was read last. That
sitemap no longer lists the page if other records of the same sitemap have a greater `read_at`.
"""


def entry_records(
    entries: Iterable[tuple[int | None, SitemapEntry]], sitemap: str, began: float
) -> Iterator[ExtractedRecord]:
    """Yield a record for each entry, given with its page's number; `began` is when the sitemap's reading began."""
    for page, entry in entries:
        if page is not None:
            fields: dict[str, object] = {"sitemap": sitemap, "read_at": began}
            if entry.lastmod is not None:
                fields["lastmod"] = entry.lastmod
            yield ExtractedRecord(page, TABLE, [msgspec.json.encode(fields).decode()])
