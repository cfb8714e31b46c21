"""Finds the captures of a URL in the sorted index of a folder of WARC files, and reads their records."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from hinterland.storage.warc.cdxj import INDEX_NAME, REVISIT_TYPE
from hinterland.storage.warc.reading import ArchiveRecord, BrokenArchive, CutRecord, TooLarge, records_from
from hinterland.storage.warc.surt import surt

_MOST_VERSIONS: Final = 10_000
_LONGEST_LINE: Final = 1 << 16
_NO_DIGIT: Final = re.compile(r"\D")
_NOT_MODIFIED: Final = 304
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CapturedVersion:
    """A line of the index. `moment` has 14 digits, in UTC; `status` is None for a revisit record."""

    url: str
    moment: str
    media_type: str
    status: int | None
    digest: str
    offset: int
    file: str

    @property
    def is_revisit(self) -> bool:
        """Whether the record refers to an earlier record that has the content."""
        return self.media_type == REVISIT_TYPE

    @property
    def seconds(self) -> float:
        """The time of the capture in epoch seconds."""
        return seconds_of(self.moment)


@dataclass(frozen=True, slots=True)
class ArchivedAnswer:
    """The answer of a server, as read from an archive.

    `body` is as sent but without chunks, and `is_whole` says whether all of it is there. `fields` are all header
    fields, with names in lower case.
    """

    status: int
    content_type: str
    content_encoding: str
    location: str
    body: bytes
    is_whole: bool = True
    fields: Sequence[tuple[str, str]] = ()


class CaptureMissing(Exception):
    """The record of a version cannot be read; the message says why."""


class CaptureIndex:
    """The index of one folder. Every call opens the files that it needs, so any thread may use it."""

    def __init__(self, folder: Path) -> None:
        """Take a folder whose index is up to date."""
        self._folder = folder

    def versions(self, url: str) -> list[CapturedVersion]:
        """Return the captures of a URL under http and https, the oldest first. Raises OSError."""
        key = surt(url).encode() + b" "
        with (self._folder / INDEX_NAME).open("rb") as index:
            _seek(index, key)
            found: list[CapturedVersion] = []
            while (line := index.readline(_LONGEST_LINE)).startswith(key) and len(found) < _MOST_VERSIONS:
                if (version := _version(line)) is not None:
                    found.append(version)
        return found

    def nearest(self, url: str, moment: str) -> CapturedVersion | None:
        """Return the capture of a URL that is nearest to a time of up to 14 digits; None if there is no capture."""
        at = seconds_of(moment)
        return min(self.versions(url), key=lambda version: abs(version.seconds - at), default=None)

    def newest(self, count: int, media_type: str) -> list[CapturedVersion]:
        """Return the newest capture of each of the first `count` URLs of the index.

        Only captures with this media type and status 200 count.
        """
        found: dict[str, CapturedVersion] = {}
        with (self._folder / INDEX_NAME).open("rb") as index:
            for line in iter(lambda: index.readline(_LONGEST_LINE), b""):
                version = _version(line)
                if version is not None and version.media_type == media_type and version.status == 200:
                    if version.url not in found and len(found) >= count:
                        break
                    found[version.url] = version
        return list(found.values())

    def read(self, version: CapturedVersion, max_bytes: int) -> ArchivedAnswer:
        """Return the server's answer in the record of a version. Raises CaptureMissing and OSError.

        For a revisit record, the body comes from the earlier answer to which it refers, perhaps of another URL. The
        status comes from the revisit record's own head, if it has a head.
        """
        if not version.is_revisit:
            return self._read(version, lambda record: _answer(record, max_bytes))
        original, own = self._read(version, lambda record: (self._original(version, record), _own_head(record)))
        answer = self._read(original, lambda record: _answer(record, max_bytes))
        return answer if own is None else replace(answer, status=own[0], location=own[1])

    def _read(self, version: CapturedVersion, use: Callable[[ArchiveRecord], T]) -> T:
        """Call `use` with the record of a version, and return its result. Raises CaptureMissing and OSError."""
        try:
            with closing(records_from(self._folder / Path(version.file).name, version.offset)) as records:
                record = next(records, None)
                if record is None or record.url != version.url:
                    raise CaptureMissing(
                        "the index and the archive do not agree; `export --format cdxj` rebuilds the index"
                    )
                return use(record)
        except TooLarge as error:
            raise CaptureMissing(f"its record is too large: {error}") from error
        except (BrokenArchive, FileNotFoundError) as error:
            raise CaptureMissing(f"its record cannot be read ({error})") from None

    def _original(self, version: CapturedVersion, revisit: ArchiveRecord) -> CapturedVersion:
        """Return the answer to which a revisit record refers by URL and date or, without these, by its digest."""
        target = revisit.header("WARC-Refers-To-Target-URI") or version.url
        moment = _NO_DIGIT.sub("", revisit.header("WARC-Refers-To-Date"))[:14]
        originals = [each for each in self.versions(target) if not each.is_revisit]
        named = [each for each in originals if each.moment == moment]
        before = [each for each in originals if each.digest == version.digest and each.moment <= version.moment]
        if not named and not before:
            raise CaptureMissing(f"the archive says only that it equals an earlier answer of {target}, and lacks that")
        return (named or before)[-1]


def _own_head(revisit: ArchiveRecord) -> tuple[int, str] | None:
    """Return (status, location) from the head of a revisit record.

    Returns None if it has no head, or if the head only says 304.
    """
    if revisit.status is None or revisit.http is None or revisit.status == _NOT_MODIFIED:
        return None
    return revisit.status, revisit.http.get_header("Location", "")


def seconds_of(moment: str) -> float:
    """Return a time of up to 14 digits in epoch seconds; an invalid time becomes one in the far future."""
    try:
        return datetime.strptime(_in_full(moment), "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 4e9


def _in_full(moment: str) -> str:
    """Return a time with all 14 digits: the beginning of the year, month or day that a shorter one names."""
    return (moment + "00000101000000"[len(moment) :])[:14]


def _answer(record: ArchiveRecord, max_bytes: int) -> ArchivedAnswer:
    http = record.http
    try:
        body, is_whole = record.body(max_bytes), not record.header("WARC-Truncated")
    except CutRecord as cut:
        body, is_whole = cut.part, False
    if http is None:
        return ArchivedAnswer(200, record.content_type, "", "", body, is_whole)
    fields: dict[str, str] = {}
    for name, value in http.headers:
        fields.setdefault(name.lower(), value)
    return ArchivedAnswer(
        status=record.status or 200,
        content_type=fields.get("content-type", ""),
        content_encoding=fields.get("content-encoding", ""),
        location=fields.get("location", ""),
        body=body,
        is_whole=is_whole,
        fields=[(name.lower(), value) for name, value in http.headers],
    )


def _version(line: bytes) -> CapturedVersion | None:
    try:
        _, moment, fields = line.decode().split(" ", 2)
        found = json.loads(fields)
        status = found.get("status")
        return CapturedVersion(
            url=found["url"],
            moment=_in_full(moment),
            media_type=found["mime"],
            status=int(status) if status else None,
            digest=found.get("digest", ""),
            offset=int(found["offset"]),
            file=found["filename"],
        )
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        return None  # a line of another tool, or a damaged one


def _seek(index: BinaryIO, key: bytes) -> None:
    """Move to the first line that is equal to or greater than a key, by bisection."""
    low, high = 0, index.seek(0, 2)
    while high - low > _LONGEST_LINE:
        middle = (low + high) // 2
        index.seek(middle)
        index.readline(_LONGEST_LINE)
        if index.readline(_LONGEST_LINE) < key:
            low = middle
        else:
            high = middle
    index.seek(low)
    if low:
        index.readline(_LONGEST_LINE)
    for line in _lines(index):
        if line >= key:
            index.seek(-len(line), 1)
            return


def _lines(index: BinaryIO) -> Iterator[bytes]:
    while line := index.readline(_LONGEST_LINE):
        yield line
