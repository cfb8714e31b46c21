"""Records of WARC, ARC, WET and WAT files, plain or compressed. Damaged or hostile content raises no error."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.content_type import essence_of
from hinterland.crawler.fetching.gated_answers import REFUSING
from hinterland.crawler.fetching.gates.recognition import MAX_PAGE_BYTES
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.library.importing.archived_answers import Fields, archived_answer
from hinterland.library.importing.extracted_texts import ExtractedText, response_with
from hinterland.library.importing.format import Limits
from hinterland.library.importing.items import (
    IMPORTED_LOGIN,
    ArchivedLogin,
    ArchivedResponse,
    ArchivedRevisit,
    ArchiveItem,
    Skipped,
)
from hinterland.library.importing.link_data import LinkDataReader, archive_time
from hinterland.library.importing.unpacked_bodies import coding_of
from hinterland.storage.warc.reading import (
    ArchiveRecord,
    BrokenArchive,
    CutRecord,
    TooLarge,
    readable_records,
    readable_records_in,
)
from hinterland.storage.warc.records import OPENED_BY
from hinterland.storage.warc.zstd_files import unpack_warc

_MAX_METADATA_BYTES: Final = 32 << 20
_MAX_ABOUT_BYTES: Final = 1 << 16
_OWN_SOFTWARE: Final = b"software: hinterland/"
_CUT: Final = {
    "length": OutcomeKind.TOO_LARGE,
    "time": OutcomeKind.BODY_TIMEOUT,
    "disconnect": OutcomeKind.TRUNCATED,
}
"""WARC-Truncated -> outcome; any other reason counts as TRUNCATED."""
_NO_PAGES: Final = {
    "request": "the response is what counts",
    "continuation": "segments are not joined",
    "warcinfo": "about the archive",
}
_ANSWERS: Final = ("response", "revisit", "resource", "conversion")
"""The kinds of records that say what a page was."""
_MOST_TITLE_CHARACTERS: Final = 300
_KINDS: Final = re.compile(r"[a-z0-9_+-]{1,80}")
_CREDENTIALS: Final = re.compile(rb"(?im)^authorization:[ \t]*\S")


def items(path: Path, reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    """Yield the records of a file. Raises OSError."""
    if path.suffix.lower() == ".zst":
        yield from _unpacked_items(path, reader, limits)
    else:
        yield from _record_items(readable_records(path), reader, limits)


def items_in(data: bytes, reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    """Yield the records in a part of a WARC file."""
    yield from _record_items(readable_records_in(data), reader, limits)


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
            if opened_by := _login_of(record, is_own=is_own):
                yield ArchivedLogin(record.url, opened_by)
            yield _item(record, reader, limits, as_sent=is_own)
        except CutRecord:
            yield Skipped(_known_kind(record), "cut off")
        except TooLarge:
            yield Skipped(_known_kind(record), "too large")
        except BrokenArchive:
            continue  # it comes next


def _unpacked_items(path: Path, reader: LinkDataReader, limits: Limits) -> Iterator[ArchiveItem]:
    with tempfile.TemporaryDirectory(prefix="warc-") as folder:
        plain = Path(folder) / "plain.warc"
        problem = unpack_warc(path, plain)
        if plain.stat().st_size:
            yield from items(plain, reader, limits)
        if problem:
            yield Skipped("file", problem)


def _is_of_ours(record: ArchiveRecord) -> bool:
    """Return whether Hinterland wrote the records after this one. If so, their bodies are as the server sent them."""
    try:
        return _OWN_SOFTWARE in record.body(_MAX_ABOUT_BYTES).lower()
    except TooLarge:
        return False


def _login_of(record: ArchiveRecord, *, is_own: bool) -> str:
    """Return the kinds of logins with which the URL of a record was requested; "" if no login was used."""
    opened_by = record.header(OPENED_BY)
    if is_own or opened_by or record.kind != "request":
        return opened_by if _KINDS.fullmatch(opened_by) else ""
    try:
        return IMPORTED_LOGIN if _CREDENTIALS.search(record.body(_MAX_ABOUT_BYTES)) else ""
    except TooLarge:
        return ""


def _item(record: ArchiveRecord, reader: LinkDataReader, limits: Limits, *, as_sent: bool) -> ArchiveItem:
    kind = record.kind
    if kind in _NO_PAGES:
        return Skipped(kind, _NO_PAGES[kind])
    if kind == "metadata":
        if "json" not in record.content_type.lower():
            return Skipped(kind, "no JSON")
        return reader.wat(record.body(_MAX_METADATA_BYTES), record.url, record.date)
    if kind not in _ANSWERS:
        return Skipped("other", "of an unknown kind")
    at = archive_time(record.date)
    if at is None:
        return Skipped(kind, "no usable date")
    if not record.url.lower().startswith(("http:", "https:")):
        return Skipped(kind, "not a web URL")
    if kind == "conversion":
        return _converted(record, at, limits)
    if kind == "revisit":
        return _revisit(record, at, limits, as_sent=as_sent)
    if kind == "response" and record.status is None:
        return Skipped(kind, "no HTTP response in it")
    if kind == "response" and record.status == 304:
        return Skipped(kind, "status 304, which says nothing about the page")
    answer = _answer(record, limits, as_sent=as_sent)
    return ArchivedResponse(record.url, at, answer, record.header("WARC-IP-Address") or None)


def _revisit(record: ArchiveRecord, at: float, limits: Limits, *, as_sent: bool) -> ArchiveItem:
    original_at = archive_time(record.header("WARC-Refers-To-Date"))
    if original_at is None:
        return Skipped("revisit", "it does not say which answer it repeats")
    status = record.status
    has_body = status is None or status == 304 or 200 <= status < 300
    return ArchivedRevisit(
        record.url,
        at,
        record.header("WARC-Refers-To-Target-URI") or record.url,
        original_at,
        None if has_body else _answer(record, limits, as_sent=as_sent),
        record.header("WARC-IP-Address") or None,
    )


def _converted(record: ArchiveRecord, at: float, limits: Limits) -> ArchiveItem:
    """Return the page whose text is in a record of a WET file; the first line is the title."""
    if record.media_type != "text/plain":
        return Skipped("conversion", "not the page as it was, and no text")
    text = record.body(limits.max_body_bytes).decode("utf-8", "replace")
    first = text.partition("\n")[0].strip()
    title = first if len(first) <= _MOST_TITLE_CHARACTERS else ""
    return response_with(ExtractedText(record.url, at, text, title))


def _answer(record: ArchiveRecord, limits: Limits, *, as_sent: bool) -> Answer | NoAnswer:
    """Return a record's answer in the form in which the fetcher would have returned it.

    With `as_sent`, the body still has the compression that its header fields name.
    """
    status = 200 if record.status is None else record.status
    fields = None if record.http is None else Fields(record.http.headers)
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
    return archived_answer(
        status,
        fields,
        body,
        content_encoding=content_encoding if as_sent else coding_of(body or unwanted, content_encoding),
        unwanted=unwanted,
        is_page=is_page,
    )


def _known_kind(record: ArchiveRecord) -> str:
    """Return the kind of a record, or "other" for an unknown kind.

    Kinds are printed, and a hostile file could contain thousands.
    """
    return record.kind if record.kind in (*_NO_PAGES, "metadata", *_ANSWERS) else "other"
