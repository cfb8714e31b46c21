"""JSON Lines: one object per line, UTF-8."""

from __future__ import annotations

from typing import Any, BinaryIO

from hinterland.storage.exports.format import FileFormat, Written
from hinterland.storage.exports.source import ExportSource, LinkRow, PageRow, headings_of, json_line, utc

PAGE_FIELDS = PageRow._fields[: PageRow._fields.index("last_modified")]
LINK_FIELDS = LinkRow._fields[LinkRow._fields.index("source") :]


def page_object(page: PageRow, *, with_text: bool) -> dict[str, Any]:
    """Return the fields of a page, with times as text."""
    fields: dict[str, Any] = {name: getattr(page, name) for name in PAGE_FIELDS}
    if page.fetched_at is not None:
        fields["fetched_at"] = utc(page.fetched_at)
    if with_text:
        fields |= {"headings": headings_of(page), "text": page.text}
    return fields


def _write(source: ExportSource, what: str, file: BinaryIO) -> Written:
    count = 0
    if what == "pages":
        for pages in source.pages():
            file.writelines(json_line(page_object(page, with_text=source.selection.with_text)) for page in pages)
            count += len(pages)
    elif what == "records":
        for records in source.records():
            file.writelines(map(json_line, records))
            count += len(records)
    else:
        for links in source.links():
            file.writelines(json_line({name: getattr(link, name) for name in LINK_FIELDS}) for link in links)
            count += len(links)
    return Written(count, what, {})


FORMAT = FileFormat(".jsonl", ("pages", "links", "records"), _write)
