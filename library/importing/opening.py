"""Opens archives from other tools and yields their records as items. Damaged or hostile content never raises."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.content_type import essence_of
from hinterland.crawler.fetching.gated_answers import REFUSING
from hinterland.crawler.fetching.gates.known_fields import FILTER_FIELDS
from hinterland.crawler.fetching.gates.recognition import MAX_PAGE_BYTES
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.library.importing.extracted_texts import ExtractedText, response_with
from hinterland.library.importing.index_answers import Piece, pieces_in
from hinterland.library.importing.items import ArchivedResponse, ArchiveItem, Skipped
from hinterland.library.importing.link_data import LinkDataReader, archive_time
from hinterland.library.importing.open_web_index import parquet_items
from hinterland.library.importing.unpacked_bodies import coding_of
from hinterland.storage.warc.reading import (
    ArchiveRecord,
    BrokenArchive,
    CutRecord,
    TooLarge,
    readable_records,
    readable_records_in,
)
from hinterland.storage.warc.wacz_reading import UnusableWacz, warcs_in
from hinterland.storage.warc.zstd_files import unpack_warc

_MAX_METADATA_BYTES = 32 << 20
_MAX_LINE_BYTES = 32 << 20
_MAX_ABOUT_BYTES = 1 << 16
_OWN_SOFTWARE = b"software: hinterland/"
_CUT = {
    "length": OutcomeKind.TOO_LARGE,
    "time": OutcomeKind.BODY_TIMEOUT,
    "disconnect": OutcomeKind.TRUNCATED,
}
"""WARC-Truncated -> outcome; any other reason counts as TRUNCATED."""
_NO_PAGES = {
    "request": "the response is what counts",
    "revisit": "the same payload is archived elsewhere",
    "continuation": "segments are not joined",
    "warcinfo": "about the archive",
}
_ANSWER = ".jsonl"
_ARCHIVES = (
    ".warc",
    ".warc.gz",
    ".warc.zst",
    ".arc",
    ".arc.gz",
    ".wat",
    ".wat.gz",
    ".wet",
    ".wet.gz",
    ".wacz",
    ".parquet",
)
SUFFIXES = (*_ARCHIVES, ".cdxj", _ANSWER)
"""Suffixes of archives and of their indexes, in lower or upper case."""
IN_FOLDERS = _ARCHIVES
"""Suffixes of the files that are taken if a folder is named."""
_MOST_TITLE_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Limits:
    """Which parts of responses are read.

    Responses of other types than `content_types` are imported without their bodies. `max_body_bytes` limits bodies as
    sent.
    """

    content_types: frozenset[str]
    max_body_bytes: int


def archive_items(path: Path, reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    """Yield the content of a file, in its order. Raises OSError."""
    is_empty = True
    for item in _items(path, reader, limits):
        is_empty = False
        yield item
    if is_empty:
        yield Skipped("file", "it holds no record" if path.stat().st_size else "it is empty")


def _items(path: Path, reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    match path.suffix.lower():
        case ".cdxj":
            yield from _index_items(path, reader)
        case ".wacz":
            yield from _packaged_items(path, reader, limits)
        case ".zst":
            yield from _unpacked_items(path, reader, limits)
        case ".parquet":
            yield from parquet_items(path)
        case _:
            yield from _record_items(readable_records(path), reader, limits)


def items_in(data: bytes, reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    """Yield the records in a part of an archive."""
    yield from _record_items(readable_records_in(data), reader, limits)


def is_index_answer(path: Path) -> bool:
    """Return whether a file is an answer of an index, which names records of archives that lie elsewhere."""
    return path.suffix.lower() == _ANSWER


def index_answer(path: Path) -> Iterator[Piece | Skipped]:
    """Yield the records that an answer of an index names. Raises OSError."""
    with path.open("rb") as file:
        yield from pieces_in(b"{" if line is None else line for line in _lines(file))


def _record_items(
    records: Iterable[ArchiveRecord | BrokenArchive], reader: LinkDataReader, limits: Limits
) -> Iterator[ArchiveItem]:
    is_own = False
    for record in records:
        if isinstance(record, BrokenArchive):
            yield Skipped("file", str(record))
            continue
        if record.is_blank:
            continue
        try:
            if record.kind == "warcinfo":
                is_own = _is_of_ours(record)
            yield _item(record, reader, limits, as_sent=is_own)
        except CutRecord:
            yield Skipped(_known_kind(record), "cut off")
        except TooLarge:
            yield Skipped(_known_kind(record), "too large")


def _packaged_items(path: Path, reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    with tempfile.TemporaryDirectory(prefix="wacz-") as folder:
        try:
            for warc in warcs_in(path, Path(folder)):
                yield from _items(warc, reader, limits)
        except UnusableWacz as error:
            yield Skipped("file", str(error))


def _unpacked_items(path: Path, reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    with tempfile.TemporaryDirectory(prefix="warc-") as folder:
        plain = Path(folder) / "plain.warc"
        problem = unpack_warc(path, plain)
        if plain.stat().st_size:
            yield from _items(plain, reader, limits)
        if problem:
            yield Skipped("file", problem)


def _is_of_ours(record: ArchiveRecord) -> bool:
    """Return whether Hinterland wrote the records that follow, in which case their bodies are as they were sent."""
    try:
        return _OWN_SOFTWARE in record.body(_MAX_ABOUT_BYTES).lower()
    except TooLarge:
        return False


def _item(record: ArchiveRecord, reader: LinkDataReader, limits: Limits, *, as_sent: bool) -> ArchiveItem:
    kind = record.kind
    if kind in _NO_PAGES:
        return Skipped(kind, _NO_PAGES[kind])
    if kind == "metadata":
        if "json" not in record.content_type.lower():
            return Skipped(kind, "no JSON")
        return reader.wat(record.body(_MAX_METADATA_BYTES), record.url, record.date)
    if kind not in ("response", "resource", "conversion"):
        return Skipped("other", "of an unknown kind")
    at = archive_time(record.date)
    if at is None:
        return Skipped(kind, "no usable date")
    if not record.url.lower().startswith(("http:", "https:")):
        return Skipped(kind, "not a web URL")
    if kind == "conversion":
        return _converted(record, at, limits)
    if kind == "response" and record.status is None:
        return Skipped(kind, "no HTTP response in it")
    if kind == "response" and record.status == 304:
        return Skipped(kind, "status 304, which says nothing about the page")
    answer = _answer(record, limits, as_sent=as_sent)
    return ArchivedResponse(record.url, at, answer, record.header("WARC-IP-Address") or None)


def _converted(record: ArchiveRecord, at: float, limits: Limits) -> ArchiveItem:
    """Return the page of which a WET file has the text; its first line is the title."""
    if record.media_type != "text/plain":
        return Skipped("conversion", "not the page as it was, and no text")
    text = record.body(limits.max_body_bytes).decode("utf-8", "replace")
    first = text.partition("\n")[0].strip()
    title = first if len(first) <= _MOST_TITLE_CHARACTERS else ""
    return response_with(ExtractedText(record.url, at, text, title))


def _answer(record: ArchiveRecord, limits: Limits, *, as_sent: bool) -> Answer | NoAnswer:
    """Return what the fetcher would have returned.

    `as_sent` says that the body is compressed as its header fields say, not decoded already.
    """
    status = 200 if record.status is None else record.status
    fields = None if record.http is None else _Fields(record.http.headers)
    content_type = record.content_type or None if fields is None else fields.joined("content-type")
    is_page = 200 <= status < 300 and essence_of(content_type) in limits.content_types
    is_robots = record.url.endswith("/robots.txt")
    body, unwanted = b"", b""
    if status in REFUSING:
        with suppress(TooLarge, CutRecord):
            unwanted = record.body(MAX_PAGE_BYTES)
    if is_page or (is_robots and 200 <= status < 300):
        truncated = record.header("WARC-Truncated").strip().lower()
        if truncated and not is_robots:
            detail = f"archived only in part: {truncated[:40]}"
            return NoAnswer(_CUT.get(truncated, OutcomeKind.TRUNCATED), detail, 0.0, status)
        try:
            body = record.body(limits.max_body_bytes)
        except TooLarge:
            detail = f"more than {limits.max_body_bytes} bytes as sent"
            return NoAnswer(OutcomeKind.TOO_LARGE, detail, 0.0, status)
        except CutRecord:
            return NoAnswer(OutcomeKind.TRUNCATED, "the archive ends within it", 0.0, status)
    if fields is None:
        return Answer(status, body, 0.0, was_skipped=not is_page, content_type=content_type)
    content_encoding = fields.joined("content-encoding") or ""
    return Answer(
        status=status,
        body=body,
        seconds=0.0,
        was_skipped=not is_page,
        content_type=content_type,
        content_encoding=content_encoding if as_sent else coding_of(body or unwanted, content_encoding),
        location=fields.first("location"),
        retry_after=fields.first("retry-after"),
        etag=fields.first("etag"),
        last_modified=fields.first("last-modified"),
        robots_tags=tuple(fields.all("x-robots-tag")),
        link_fields=tuple(fields.all("link")),
        refresh=fields.first("refresh"),
        unwanted=unwanted,
        filter_fields=tuple((name, line) for name in FILTER_FIELDS for line in fields.all(name)),
        raw_fields=fields.raw(),
    )


class _Fields:
    def __init__(self, fields: Iterable[tuple[str, str]]) -> None:
        self._fields = [(name.lower(), value) for name, value in fields]

    def raw(self) -> list[tuple[bytes, bytes]]:
        return [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in self._fields]

    def all(self, name: str) -> list[str]:
        return [value for each, value in self._fields if each == name]

    def joined(self, name: str) -> str | None:
        return ", ".join(self.all(name)) or None

    def first(self, name: str) -> str | None:
        """Return the first line with content of a field that has one value (see crawler.fetching.header_fields)."""
        lines = self.all(name)
        return next((line for line in lines if line.strip()), lines[0] if lines else None)


def _known_kind(record: ArchiveRecord) -> str:
    """Return the kind of a record, "other" if unknown: kinds are printed, and a hostile file could have thousands."""
    return record.kind if record.kind in (*_NO_PAGES, "metadata", "response", "resource", "conversion") else "other"


def _index_items(path: Path, reader: LinkDataReader) -> Iterator[ArchiveItem]:
    with path.open("rb") as file:
        for line in _lines(file):
            item = Skipped("index line", "too long") if line is None else reader.cdxj(line)
            if item is not None:
                yield item


def _lines(file: BufferedReader) -> Iterator[bytes | None]:
    """Yield lines, and None in place of each line that is too long."""
    while line := file.readline(_MAX_LINE_BYTES):
        if len(line) < _MAX_LINE_BYTES or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(_MAX_LINE_BYTES)
        yield None
