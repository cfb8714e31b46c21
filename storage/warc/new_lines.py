"""Index lines for records as they are written, so that indexing need not read the files again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import IO, Final

from hinterland.storage.sorted_runs import SortedRuns
from hinterland.storage.warc.cdxj import index_line, lines_of_records
from hinterland.storage.warc.packed_captures import PackedCapture
from hinterland.storage.warc.reading import BrokenArchive, records_of

_LINES_IN_MEMORY: Final = 10_000
_PLAIN_HEAD: Final = re.compile(
    rb"HTTP/1\.[01] [1-9]\d\d(?: [\x20-\x7e]*)?\r\n(?:[\w!#$%&'*+.^`|~-]+:[\x20-\x7e]*\r\n)*\r\n"
)
"""A response head that all programs read alike; other heads are read again from their records."""
_CONTENT_TYPE: Final = re.compile(rb"\ncontent-type:([^;\r]*)", re.IGNORECASE)


class NewLines:
    """The index lines for the records of some files, sorted on disk. Mutable, not thread-safe."""

    def __init__(self, file: IO[bytes]) -> None:
        """Start without lines, with an empty file."""
        self._lines = SortedRuns[str](file, _LINES_IN_MEMORY)
        self.files = set[str]()
        """The names of the files whose lines are all here."""

    def __iter__(self) -> Iterator[str]:
        """Iterate over the lines in order."""
        return iter(self._lines)

    def add_response(self, packed: PackedCapture, member: bytes, file: str, offset: int) -> None:
        """Add the line of a response; `member` is its packed record, which begins at `offset` of the file."""
        capture, head = packed.capture, packed.capture.response_head_bytes
        if not _PLAIN_HEAD.fullmatch(capture.response, 0, head):
            with suppress(BrokenArchive):  # a head that cannot be read has no line
                self._lines.extend(lines_of_records(records_of(BytesIO(member)), file, offset))
            return
        found = _CONTENT_TYPE.search(capture.response, 0, head)
        media_type = "" if found is None else found[1].decode("ascii").strip().lower()
        said = media_type or "unk", capture.response[9:12].decode("ascii")
        line = index_line(
            capture.url, packed.date, said, packed.digest, length=len(member), offset=offset, file=file
        )  # fmt: skip
        self._lines.add(line)

    def add_revisit(self, packed: PackedCapture, digest: str, member: bytes, file: str, offset: int) -> None:
        """Add the line of a revisit record; `digest` is the digest of the payload that it repeats."""
        url = packed.capture.url
        self._lines.add(index_line(url, packed.date, None, digest, length=len(member), offset=offset, file=file))
