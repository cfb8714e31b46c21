"""Answers of an index of archives, such as Common Crawl's: where each capture is, in JSON lines.

    {"url": "https://a.example/", "timestamp": "20260102030405", "filename": "crawl-data/…/0.warc.gz",
     "offset": "1234", "length": "567", …}

The lines may also be CDXJ, with a key and the timestamp before the JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec

from hinterland.library.importing.bounded_lines import bounded_lines
from hinterland.library.importing.items import Skipped
from hinterland.library.importing.link_data import archive_time

KIND: Final = "index line"
MOST_BYTES: Final = 64 << 20
"""Longer records are not requested."""


class Piece(NamedTuple):
    """A record in an archive: `length` bytes of a file, beginning at `offset`. `captured_at` is in epoch seconds."""

    url: str
    captured_at: float
    file: str
    offset: int
    length: int

    def url_below(self, base: str) -> str:
        """Return the URL of the file. `base` is the URL to which the paths of files are relative."""
        return f"{base.rstrip('/')}/{quote(self.file.lstrip('/'))}"

    @property
    def range(self) -> str:
        """The value of the Range field of a request."""
        return f"bytes={self.offset}-{self.offset + self.length - 1}"


def index_answer(path: Path) -> Iterator[Piece | Skipped]:
    """Yield the records that an answer of an index names. Raises OSError."""
    with path.open("rb") as file:
        yield from pieces_in(b"{" if line is None else line for line in bounded_lines(file))


def pieces_in(lines: Iterable[bytes]) -> Iterator[Piece | Skipped]:
    """Yield the records that the lines of an answer name; empty lines are left out."""
    for line in lines:
        if line.strip():
            yield _piece(line.strip())


def _piece(line: bytes) -> Piece | Skipped:
    stamp, found = b"", line
    if not line.startswith(b"{"):
        _, stamp, found = [*line.split(b" ", 2), b"", b""][:3]
    try:
        fields: Any = msgspec.json.decode(found)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Skipped(KIND, "no JSON in it")
    if not isinstance(fields, dict):
        return Skipped(KIND, "no JSON object in it")
    at = archive_time(str(fields.get("timestamp") or stamp.decode("ascii", "replace")))
    url, file = fields.get("url"), fields.get("filename")
    offset, length = _number(fields.get("offset")), _number(fields.get("length"))
    if not isinstance(url, str) or not isinstance(file, str) or at is None or offset is None or not length:
        return Skipped(KIND, "it does not say where the record is: url, timestamp, filename, offset and length")
    if length > MOST_BYTES or ".." in file.split("/") or not file.isprintable():
        return Skipped(KIND, "the record is too large, or its file has an unusable name")
    return Piece(url, at, file, offset, length)


def _number(value: object) -> int | None:
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
