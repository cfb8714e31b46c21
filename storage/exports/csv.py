"""Comma-separated values (RFC 4180), UTF-8, with column names in the first line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

from hinterland.storage.exports.format import FileFormat, Written
from hinterland.storage.exports.jsonl import LINK_FIELDS, PAGE_FIELDS, page_object
from hinterland.storage.exports.source import RECORD_FIELDS, ExportSource, json_line


def _write(source: ExportSource, what: str, file: BinaryIO) -> Written:
    if what == "pages":
        with_text = source.selection.with_text
        names: Sequence[str] = (*PAGE_FIELDS, *(("headings", "text") if with_text else ()))
        pages = (page_object(page, with_text=with_text) for batch in source.pages() for page in batch)
        return Written(_write_rows(names, pages, file), what, {})
    if what == "records":
        names = (*RECORD_FIELDS, *(column.name for column in source.selection.columns))
        return Written(_write_rows(names, (row for batch in source.records() for row in batch), file), what, {})
    links = (link._asdict() for batch in source.links() for link in batch)
    return Written(_write_rows(LINK_FIELDS, links, file), what, {})


def _write_rows(names: Sequence[str], rows: Iterable[dict[str, Any]], file: BinaryIO) -> int:
    text = io.TextIOWrapper(file, "utf-8", "replace", newline="", write_through=True)
    writer = csv.writer(text)
    count = 0
    try:
        writer.writerow(names)
        for row in rows:
            writer.writerow([_cell(row[name]) for name in names])
            count += 1
    finally:
        text.detach()  # the file is the caller's to close
    return count


def _cell(value: object) -> object:
    """Return the content of a cell: empty for None, booleans in lower case, lists as JSON."""
    match value:
        case bool():
            return "true" if value else "false"
        case list():
            return json_line(value).decode().rstrip("\n")
        case _:
            return value


FORMAT = FileFormat(".csv", ("pages", "links", "records"), _write)
