"""Reads WARC files of any origin, record by record and within bounds.

No file, however broken or hostile, causes more than a BrokenArchive or takes more memory than a few blocks. warcio
reads the files. By itself, it would read lines and header fields of any length, and print complaints; this module
prevents both.
"""

from __future__ import annotations

import gzip
import io
import logging
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from warcio.archiveiterator import WARCIterator
from warcio.bufferedreaders import DecompressingBufferedReader
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParser, StatusAndHeadersParserException

from hinterland.storage.warc.chunks import ChunkReader
from hinterland.storage.warc.warcio_parts import check_warcio

_MAX_LINE_BYTES = 1 << 16
_MAX_HEAD_BYTES = 1 << 20
_OCTET: Final = re.compile("[\udc80-\udcff]")
_MAX_EMPTY_LINES = 1000
"""Empty lines before a status line; a block with more of them is not an HTTP response."""
_BLOCK = 1 << 13
"""The most compressed bytes that are read at a time: deflate can expand them a thousandfold, and the result exists in
up to four copies.
"""

_logger = logging.getLogger(__name__)
# It would print URLs of the archive, including control characters, to the terminal.
logging.getLogger("warcio.recordloader").addFilter(lambda _: False)


class BrokenArchive(Exception):
    """The rest of a file cannot be read; `offset` is the byte of the file at which reading failed."""

    def __init__(self, reason: str, offset: int) -> None:
        """Take the reason, and the byte at which reading failed."""
        self.offset = max(offset, 0)  # for a truncated member, warcio reports a negative offset
        super().__init__(f"{reason}, at byte {self.offset:,}")


class _PackedAsOne(BrokenArchive):
    pass


class CutRecord(Exception):
    """A record ends before its Content-Length says; `part` is the part of its body that is there."""

    def __init__(self, part: bytes) -> None:
        """Take the part of the body that is there."""
        super().__init__()
        self.part = part


class TooLarge(Exception):
    """A block is larger than the caller allows."""


class _Heads(StatusAndHeadersParser):
    """Parses HTTP heads without losing bytes: bytes that are not UTF-8 become lone surrogates."""

    @staticmethod
    def decode_header(line: bytes) -> str:
        """Decode a line of the head."""
        return line.decode("utf-8", "surrogateescape")


def _text_of(name: str, value: str | None) -> str | None:
    """Return the value of a field without surrogates.

    A byte that is not UTF-8 is read as Latin-1, as in the original HTTP/1.1. In a Location field, such a byte is
    percent-encoded instead, so that the server gets back what it sent.
    """
    if value is None or not _OCTET.search(value):
        return value
    if name.lower() == "location":
        return _OCTET.sub(lambda match: f"%{ord(match[0]) - 0xDC00:02X}", value)
    return value.encode("utf-8", "surrogateescape").decode("latin-1")


class ArchiveRecord:
    """One record. It can be read until the next record is requested.

    `http` is the HTTP head at the beginning of its block; None if the block is no HTTP response.
    """

    def __init__(self, iterator: _Records, record: Any) -> None:
        """Read the header of the record and the HTTP head of its block, if any."""
        self._iterator = iterator
        self._stream = record.raw_stream
        self._headers: StatusAndHeaders = record.rec_headers
        self.offset = int(iterator.offset)
        self.kind = (record.rec_type or "").lower()
        self.url = self.header("WARC-Target-URI")
        self.date = self.header("WARC-Date")
        self.content_type = self.header("Content-Type")
        self.payload_digest = self.header("WARC-Payload-Digest")
        self.http: StatusAndHeaders | None = None
        if self.kind in ("response", "revisit") and self.url.lower().startswith(("http:", "https:")):
            self.http = self._http_head()

    def header(self, name: str) -> str:
        """Return a field of the record's own header; "" if it is missing."""
        return self._headers.get_header(name, "") or ""

    @property
    def is_blank(self) -> bool:
        """Whether the record consists only of a line end, as in a file without records."""
        return not self._headers.headers and not self._headers.statusline

    @property
    def status(self) -> int | None:
        """The status of the HTTP response; None without a valid one."""
        code = "" if self.http is None else (self.http.get_statuscode() or "")
        return int(code) if len(code) == 3 and code.isascii() and code.isdigit() else None

    @property
    def status_line(self) -> str:
        """The status line of the HTTP response; "" without a response."""
        return "" if self.http is None else f"{self.http.protocol} {self.http.statusline}".strip()

    @property
    def media_type(self) -> str:
        """The media type of the payload, without parameters, in lower case."""
        field = self.content_type if self.http is None else self.http.get_header("Content-Type", "")
        return (field or "").partition(";")[0].strip().lower()

    def body(self, max_bytes: int) -> bytes:
        """Return the rest of the block. For an HTTP response, this is the body as sent, but without chunks.

        Raises CutRecord, TooLarge and BrokenArchive.
        """
        fields = [] if self.http is None else self.http.headers
        is_chunked = any(name.lower() == "transfer-encoding" and "chunked" in value.lower() for name, value in fields)
        with self._naming_damage():
            return self._read_chunks(max_bytes) if is_chunked else self._read(max_bytes)

    def finish(self) -> int:
        """Read to the end, and return how many bytes of the file the record takes. Raises BrokenArchive."""
        with self._naming_damage():
            return int(self._iterator.get_record_length())

    @contextmanager
    def _naming_damage(self) -> Iterator[None]:
        """Turn an error in the block into a BrokenArchive, and note it, so that the iteration raises it again."""
        try:
            yield
        except _Unreadable as error:
            self._iterator.damage = BrokenArchive(str(error), self.offset)
            raise self._iterator.damage from None

    def _read(self, max_bytes: int) -> bytes:
        parts, size = [], 0
        while part := self._stream.read(_BLOCK):
            size += len(part)
            if size > max_bytes:
                raise TooLarge(f"it has more than {max_bytes:,} bytes")
            parts.append(part)
        return self._whole(b"".join(parts))

    def _read_chunks(self, max_bytes: int) -> bytes:
        chunks, parts, size = ChunkReader(), list[bytes](), 0
        while block := self._stream.read(_BLOCK):
            parts.append(chunks.feed(block))
            size += len(parts[-1])
            if size + chunks.held_bytes > max_bytes:
                raise TooLarge(f"it has more than {max_bytes:,} bytes")
        parts.append(chunks.rest())
        if size + len(parts[-1]) > max_bytes:
            raise TooLarge(f"it has more than {max_bytes:,} bytes")
        return self._whole(b"".join(parts))

    def _whole(self, body: bytes) -> bytes:
        if getattr(self._stream, "limit", 0) > 0:
            raise CutRecord(body)
        return body

    def _http_head(self) -> StatusAndHeaders | None:
        try:
            head = _Heads((), verify=False).parse(self._stream, self._first_line())
        except EOFError:
            return None
        head.protocol, head.statusline = _text_of("", head.protocol), _text_of("", head.statusline)
        head.headers = [(_text_of("", name), _text_of(name, value)) for name, value in head.headers]
        return head if head.protocol.upper().startswith("HTTP/") else None

    def _first_line(self) -> bytes:
        """Return the first line of the block that is not empty; b"" if there is none.

        Some servers send empty lines before the status line, which crawlers ignore and archives keep.
        """
        for _ in range(_MAX_EMPTY_LINES + 1):
            line: bytes = self._stream.readline()
            text = line.lstrip(b"\r\n")
            if text or not line:
                return text
        return b""


def records_of(file: BinaryIO) -> Iterator[ArchiveRecord]:
    """Yield the records of an open file from its present position on; see records_from."""
    return _records(file)


def records_from(path: Path, offset: int) -> Generator[ArchiveRecord]:
    """Yield the record that begins at `offset` and all records after it, of a .warc, .warc.gz, .arc or .arc.gz file.

    Raises OSError and, where it cannot continue, BrokenArchive.
    """
    with path.open("rb") as file:
        file.seek(offset)
        yield from _records(file, is_arc=is_arc(path))


def readable_records(path: Path) -> Iterator[ArchiveRecord | BrokenArchive]:
    """Yield all readable records. Where the file is broken, yield the error and continue at the next record."""
    with path.open("rb") as file:
        yield from _readable(file, is_arc=is_arc(path))


def placed_records(path: Path) -> Iterator[ArchiveRecord]:
    """Yield all readable records that can be read alone, beginning at their offset; damaged records are logged.

    In a file that is packed as a single gzip member, this is only the first record.
    """
    with path.open("rb") as file:
        for record in _readable(file, is_arc=is_arc(path), unpacks=False):
            if isinstance(record, ArchiveRecord):
                yield record
            else:
                _logger.warning("%s: the record at byte %d is damaged and left out", path, record.offset)


def is_packed_as_one(path: Path) -> bool:
    """Return whether a file is a single gzip member with several records. Raises OSError."""
    with path.open("rb") as file:
        try:
            for _ in islice(_records(file, is_arc=is_arc(path)), 2):
                pass
        except _PackedAsOne:
            return True
        except BrokenArchive:
            pass
    return False


def readable_records_in(data: bytes) -> Iterator[ArchiveRecord | BrokenArchive]:
    """Yield all readable records in `data`, a part of an archive, as `readable_records` does."""
    yield from _readable(io.BytesIO(data))


def _readable(file: BinaryIO, *, is_arc: bool = False, unpacks: bool = True) -> Iterator[ArchiveRecord | BrokenArchive]:
    start: int | None = 0
    count = 0
    while start is not None:
        file.seek(start)
        try:
            for record in _records(file, is_arc=is_arc):
                yield record
                count += 1
            return
        except _PackedAsOne:
            if not unpacks:
                return
            file.seek(start)
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield from _unpacked_records(unpacked, count, is_arc=is_arc)
            return
        except BrokenArchive as broken:
            yield broken
            start = _next_start(file, max(broken.offset, start) + 1)


def _unpacked_records(unpacked: gzip.GzipFile, skip: int, *, is_arc: bool) -> Iterator[ArchiveRecord | BrokenArchive]:
    """Yield the records of a file that is a single gzip member, instead of one member per record as in the standard."""
    try:
        yield from islice(_records(cast(BinaryIO, _Unpacked(unpacked)), is_arc=is_arc), skip, None)
    except BrokenArchive as broken:
        yield broken


def is_arc(path: Path) -> bool:
    """Return whether a file is in the format ARC, which crawlers wrote before WARC."""
    return path.name.lower().endswith((".arc", ".arc.gz"))


def _records(file: BinaryIO, *, is_arc: bool = False) -> Iterator[ArchiveRecord]:
    check_warcio()
    records = _Records(file, is_arc=is_arc)
    try:
        for record in records:
            yield ArchiveRecord(records, record)
            if records.damage is not None:
                raise records.damage
    except (ArchiveLoadFailed, StatusAndHeadersParserException) as error:
        if "non-chunked gzip" in str(error):
            raise _PackedAsOne("it is a single gzip member, instead of one for each record", 0) from None
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BrokenArchive(ascii(reason[:160])[1:-1], records.offset) from None
    except _Unreadable as error:
        raise BrokenArchive(str(error), records.offset) from None


@dataclass(frozen=True, slots=True)
class _Mark:
    """Bytes that may be the start of a record, and the offset of this start within them."""

    bytes: bytes
    lead: int


_MARKS = (_Mark(b"\x1f\x8b\x08", 0), _Mark(b"\n\r\nWARC/1.", 3))


def _next_start(file: BinaryIO, start: int) -> int | None:
    """Return the first offset, from `start` on, at which a record may begin; None if there is none."""
    longest = max(len(mark.bytes) for mark in _MARKS)
    file.seek(start)
    base, window = start, b""
    while block := file.read(1 << 20):
        window += block
        found = [place + mark.lead for mark in _MARKS if (place := window.find(mark.bytes)) >= 0]
        if found:
            return base + min(found)
        base += max(len(window) - longest, 0)
        window = window[-longest:]
    return None


class _Unreadable(Exception):
    pass


class _Unpacked:
    """A compressed file in the form in which warcio reads it; it has no `tell`, so warcio counts bytes itself."""

    def __init__(self, file: gzip.GzipFile) -> None:
        """Take the open gzip file."""
        self._file = file

    def read(self, size: int) -> bytes:
        """Return decompressed bytes; b"" at the end, also of a truncated file."""
        try:
            return self._file.read(size)
        except EOFError:
            return b""  # it is truncated, which the record will show
        except (OSError, zlib.error) as error:
            raise _Unreadable(f"it cannot be unpacked ({error})") from None


class _Records(WARCIterator):
    """warcio's iterator over records, with our reader, and without warcio's complaints on stderr.

    `damage` is the error that was found in the block of the current record.
    """

    damage: BrokenArchive | None = None

    def __init__(self, file: BinaryIO, *, is_arc: bool) -> None:
        """Start at the current position of the file. Records of an ARC file look like those of a WARC file."""
        super().__init__(file, no_record_parse=True, arc2warc=is_arc)
        self.known_format = "arc" if is_arc else "warc"
        self.reader = _BoundedReader(self.fh, block_size=_BLOCK)

    def _consume_blanklines(self) -> tuple[bytes | None, int]:
        """Skip the bytes between two records without a complaint. Overrides warcio's method."""
        skipped, is_first = 0, True
        while line := self.reader.readline():
            if line.strip() and not is_first:
                return line, skipped
            if is_first and line.startswith(b"WARC/"):  # the blank lines are missing
                return line, skipped
            skipped += len(line)
            is_first = False
        return None, skipped


class _BoundedReader(DecompressingBufferedReader):
    """A reader for warcio that raises an error if a line or head is too long, or if data are damaged.

    warcio's own reader would fill the memory, and would take damaged data for the end of the file.
    """

    _head_bytes = 0
    decompressor: Any

    def readline(self, length: int | None = None) -> bytes:
        """Return a line. Raises _Unreadable if the line or the head of the record is too long."""
        limit = _MAX_LINE_BYTES if length is None else min(length, _MAX_LINE_BYTES)
        line: bytes = super().readline(limit)
        self._head_bytes += len(line)
        if (len(line) == _MAX_LINE_BYTES and not line.endswith(b"\n")) or self._head_bytes > _MAX_HEAD_BYTES:
            raise _Unreadable("a record's header does not end")
        return line

    def read(self, length: int | None = None) -> bytes:
        """Return the next bytes of a block."""
        self._head_bytes = 0
        data: bytes = super().read(length)
        return data

    def read_next_member(self) -> bool:
        """Start the next gzip member."""
        self._head_bytes = 0
        return bool(super().read_next_member())

    def _decompress(self, data: bytes) -> bytes:
        if not self.decompressor or not data:
            return data
        try:
            return bytes(self.decompressor.decompress(data))
        except Exception as error:  # from zlib or brotli
            if self.num_block_read == 0 and not data.startswith(b"\x1f\x8b"):
                self.decompressor = None  # it is not compressed
                return data
            raise _Unreadable(f"it cannot be unpacked ({error})") from None
