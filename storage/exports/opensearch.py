"""Bulk files for OpenSearch and Elasticsearch, and the mapping of the index.

Ranks are fields of the type rank_feature, scaled so that 1 is the average page: a query can use them without a script
(docs/exports.md has one). The id of a document is derived from its URL, so a later export replaces it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, BinaryIO

from hinterland.storage.exports.format import FolderFormat, Written
from hinterland.storage.exports.source import ExportSource, PageRow, headings_of, json_line, utc

PART_BYTES = 10_000_000
"""The size of a bulk file in bytes: servers refuse requests over 100 MB by default, and their manuals recommend 5 to 15
MB.
"""
_MAX_ANCHORS = 100

_TEXT: dict[str, Any] = {"type": "text"}
_KEYWORD: dict[str, Any] = {"type": "keyword"}
_RANK: dict[str, Any] = {"type": "rank_feature"}
MAPPING: dict[str, Any] = {
    "mappings": {
        "dynamic": "strict",
        "properties": {
            "url": _KEYWORD,
            "host": _KEYWORD,
            "site": _KEYWORD,
            "language": _KEYWORD,
            "title": _TEXT,
            "description": _TEXT,
            "headings": _TEXT,
            "text": _TEXT,
            "anchors": _TEXT,
            "fetched_at": {"type": "date"},
            "rank_site": _RANK,
            "rank_web": _RANK,
        },
    }
}


def document(page: PageRow, anchors: list[str], ranked_pages: int) -> dict[str, Any]:
    """Return a page with the fields of the mapping; fields without a value are left out."""
    ranks = {"rank_site": page.as_site_sees, "rank_web": page.as_web_sees}
    fields = {
        "url": page.url,
        "host": page.host,
        "site": page.site,
        "language": (page.language or "").partition("-")[0].lower(),
        "title": page.title,
        "description": page.description,
        "headings": headings_of(page),
        "text": page.text,
        "anchors": anchors,
        "fetched_at": None if page.fetched_at is None else utc(page.fetched_at),
        # A rank_feature must be greater than 0.
        **{name: rank * ranked_pages for name, rank in ranks.items() if rank is not None and rank > 0},
    }
    return {name: value for name, value in fields.items() if value not in (None, "", [])}


def identity(url: str) -> str:
    """Return the id of the document with this URL: a hash, since ids are limited to 512 bytes and URLs are not."""
    return hashlib.sha256(url.encode()).hexdigest()[:32]


class _BulkFiles:
    """Writes action and source lines into files of bounded size."""

    def __init__(self, folder: Path) -> None:
        """Start without a file in the folder."""
        self._folder = folder
        self._file: BinaryIO | None = None
        self._bytes = 0
        self._number = 0

    def write(self, lines: bytes) -> None:
        """Write lines that must be in the same file."""
        if self._file is None or self._bytes + len(lines) > PART_BYTES:
            self.close()
            self._number += 1
            self._file = (self._folder / f"bulk-{self._number:05}.ndjson").open("wb")
            self._bytes = 0
        self._file.write(lines)
        self._bytes += len(lines)

    def close(self) -> None:
        """Close the open file, if any."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _write(source: ExportSource, what: str, folder: Path) -> Written:
    (folder / "mapping.json").write_text(json.dumps(MAPPING, indent=2) + "\n", encoding="utf-8")
    ranked_pages, knows_inlinks = source.ranked_pages(), source.store.links.knows_inlinks
    count, not_indexable = 0, 0
    parts = _BulkFiles(folder)
    try:
        for pages in source.pages():
            for page in pages:
                if page.outcome != "fetched":
                    continue
                if not page.is_indexable:
                    not_indexable += 1
                    continue
                anchors = source.store.links.anchors(page.page, _MAX_ANCHORS) if knows_inlinks else []
                action = json_line({"index": {"_id": identity(page.url)}})
                parts.write(action + json_line(document(page, anchors, ranked_pages)))
                count += 1
    finally:
        parts.close()
    left_out = {"noindex, or another page is the canonical one": not_indexable}
    if not knows_inlinks:
        left_out[
            "without anchor texts: the links of this store, which an earlier version wrote, are just being sorted"
        ] = count
    return Written(count, "documents", left_out)


FORMAT = FolderFormat(".opensearch", ("pages",), _write, r"mapping\.json|bulk-\d+\.ndjson", has_ranks=True)
