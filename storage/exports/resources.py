"""WARC 1.1 files from stored bodies.

A store keeps only the bodies of HTTP responses, so they become resource records. `crawl --warc` writes the complete
archive; this export is for crawls that were made without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from hinterland.storage.exports.format import FileFormat, Written
from hinterland.storage.exports.source import ExportSource
from hinterland.storage.public_copy import opened_by
from hinterland.storage.values.compression import unpacked_bytes
from hinterland.storage.warc.records import resource_member, warcinfo_member

_FETCHED_WITH_PAGES = (
    "SELECT url, fetched_at, content_type, body FROM requisite LEFT JOIN requisite_body USING (digest)"
    " WHERE outcome = 'fetched' ORDER BY number"
)
_CONTENT_TYPE = re.compile(r"[\x20-\x7e]+")


def write_resources(source: ExportSource, file: BinaryIO) -> Written:
    """Write the kept bodies of pages, and of the files that pages need to be shown."""
    fields = {"description": "decoded bodies from a link store of Hinterland", "format": "WARC File Format 1.1"}
    count, without_body, has_begun = 0, 0, False
    for url, at, content_type, body in _bodies(source):
        if body is None:
            without_body += 1
            continue
        if not has_begun:
            file.write(warcinfo_member("", fields, at))
            has_begun = True
        by = opened_by(source.store.connection, url)
        file.write(resource_member(url, at, content_type, body, opened_by=by))
        count += 1
    return Written(count, "records", {"no body was kept (storage.keep_bodies)": without_body})


def _bodies(source: ExportSource) -> Iterator[tuple[str, float, str, bytes | None]]:
    """Yield URL, time, content type and body."""
    for pages in source.pages():
        for page in pages:
            if page.outcome == "fetched" and page.fetched_at is not None:
                yield page.url, page.fetched_at, _content_type(page.content_type), source.store.pages.body(page.page)
    if source.selection.without:
        return  # which file only those pages need that are left out is not known
    for url, at, content_type, frame in source.store.connection.execute(_FETCHED_WITH_PAGES):
        body = None if frame is None else unpacked_bytes(frame)
        yield url, at, _content_type(content_type, "application/octet-stream"), body


def _write(source: ExportSource, what: str, file: BinaryIO) -> Written:
    return write_resources(source, file)


def _content_type(given: str | None, otherwise: str = "text/html") -> str:
    return given if given and _CONTENT_TYPE.fullmatch(given) else otherwise


FORMAT = FileFormat(".warc.gz", ("pages",), _write, is_text=False)
