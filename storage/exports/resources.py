"""WARC 1.1 from stored bodies: resource records, since only the bodies of the HTTP responses are left.

`crawl --warc` writes the complete archive. This export is for when only the store is left.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from hinterland.storage.exports.format import FileFormat, Written
from hinterland.storage.exports.source import ExportSource, PageRow
from hinterland.storage.warc.records import resource_member, warcinfo_member

_CONTENT_TYPE = re.compile(r"[\x20-\x7e]+")


def _write(source: ExportSource, what: str, file: BinaryIO) -> Written:
    fields = {"description": "decoded bodies from a link store of Hinterland", "format": "WARC File Format 1.1"}
    count, without_body, has_begun = 0, 0, False
    for pages in source.pages():
        for page in pages:
            if page.outcome != "fetched" or page.fetched_at is None:
                continue
            body = source.store.pages.body(page.page)
            if body is None:
                without_body += 1
                continue
            if not has_begun:
                file.write(warcinfo_member("", fields, page.fetched_at))
                has_begun = True
            file.write(resource_member(page.url, page.fetched_at, _content_type(page), body))
            count += 1
    return Written(count, "records", {"no body was kept (storage.keep_bodies)": without_body})


def _content_type(page: PageRow) -> str:
    field = page.content_type or ""
    return field if _CONTENT_TYPE.fullmatch(field) else "text/html"


FORMAT = FileFormat(".warc.gz", ("pages",), _write, is_text=False)
