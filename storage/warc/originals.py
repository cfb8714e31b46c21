"""Finds, in a folder of WARC files, the earlier response that a new one repeats.

A *revisit* record refers to such a response instead of having a body. It refers to an original response, never to
another revisit record: to the last response of the same URL with the same status or, for a 304, with status 200. So a
page that returns to an earlier state is written again. Responses of earlier crawls are looked up in the folder's index,
and responses of this crawl in a table.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Final

from hinterland.storage.values.grouped_rows import grouped, values
from hinterland.storage.warc.captures import Capture, Original, head_digest
from hinterland.storage.warc.cdxj import INDEX_NAME, REVISIT_TYPE, update_index
from hinterland.storage.warc.reading import BrokenArchive, records_from
from hinterland.storage.warc.surt import surt

_REVISIT = f'"mime": "{REVISIT_TYPE}"'.encode()
_NOT_MODIFIED = 304
_WRITTEN: Final = (
    "SELECT url, status, date, digest, address, head FROM json_each(?) AS each CROSS JOIN written ON url = each.value"
)
_PROBE_BYTES = 1 << 13
"""A binary search ends when its range is shorter than this many bytes; from there, lines are read one after another."""


@cache
def _note(rows: int) -> str:
    return f"INSERT OR REPLACE INTO written VALUES {values(6, rows)}"


class Originals:
    """The original responses of a folder. Mutable, not thread-safe.

    It updates the folder's index and keeps it open. Responses that are written later are noted in an unnamed temporary
    SQLite database, so that memory does not grow.
    """

    def __init__(self, folder: Path) -> None:
        """Update the index of the folder and open it.

        Raises OSError.
        """
        self._folder = folder
        update_index(folder)
        index = folder / INDEX_NAME
        self._index = IndexFile(index) if index.exists() else None
        self._written = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._written.execute("PRAGMA journal_mode = OFF")
        columns = "url, status, date, digest, address, head, PRIMARY KEY (url, status)"
        self._written.execute(f"CREATE TABLE written ({columns}) WITHOUT ROWID")
        self._at_hand: dict[tuple[str, int], Original] = {}
        """The last originals of the URLs of the captures that are being written, by URL and status."""
        self._new: list[tuple[str, int]] = []
        """Which of these are not in the table yet."""

    def __enter__(self) -> Originals:
        """Return the instance itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the database and the index."""
        self.close()

    def close(self) -> None:
        """Close the database and the index."""
        self._written.close()
        if self._index is not None:
            self._index.close()

    @property
    def has_index(self) -> bool:
        """Whether the folder held records when it was opened."""
        return self._index is not None

    def repeated_by(self, capture: Capture, payload_digest: str) -> Original | None:
        """Return the original response that a capture repeats: by a 304, or with the same payload.

        Call it in `together`. Returns None if the capture repeats none. Raises OSError.
        """
        status = capture.status
        if capture.truncated or status is None:
            return None
        original = self._last(capture.url, 200 if status == _NOT_MODIFIED else status)
        if original is None or (status != _NOT_MODIFIED and original.payload_digest != payload_digest):
            return None
        return original

    @contextmanager
    def together(self, urls: Iterable[str]) -> Iterator[None]:
        """Allow captures of these URLs to be compared and noted inside the with block.

        The table is read once before the block and written once after it, because each statement releases the
        interpreter's lock. Raises OSError.
        """
        try:
            rows = self._written.execute(_WRITTEN, (json.dumps(list(dict.fromkeys(urls))),)).fetchall()
            self._at_hand = {(url, status): Original(*rest) for url, status, *rest in rows}
            yield
            for sql, parameters in grouped(_note, list(map(self._row, dict.fromkeys(self._new)))):
                self._written.executemany(sql, parameters)
        except sqlite3.Error as error:
            raise OSError(f"SQLite cannot note which responses were written: {error}") from error
        finally:
            self._at_hand, self._new = {}, []

    def note(self, url: str, status: int, original: Original) -> None:
        """Record a response that was written, so that later ones can refer to it; see `together`."""
        self._at_hand[url, status] = original
        self._new.append((url, status))

    def _row(self, key: tuple[str, int]) -> tuple[object, ...]:
        original = self._at_hand[key]
        return (*key, original.date, original.payload_digest, original.address, original.head)

    def _last(self, url: str, status: int) -> Original | None:
        original = self._at_hand.get((url, status))
        if original is not None or self._index is None:
            return original
        return self._indexed(self._index, url, status)

    def _indexed(self, index: IndexFile, url: str, status: int) -> Original | None:
        last = None
        for line in index.lines(f"{surt(url)} "):
            if _REVISIT not in line:
                fields = _fields(line)
                if fields.get("url") == url and fields.get("status") == str(status):
                    last = fields
        return None if last is None else self._original(url, last)

    def _original(self, url: str, fields: dict[str, str]) -> Original | None:
        """Return the original with the data of its record; None if the record is not where the index says."""
        try:
            with closing(records_from(self._folder / fields["filename"], int(fields["offset"]))) as records:
                record = next(records)
        except (BrokenArchive, FileNotFoundError, KeyError, StopIteration, ValueError):
            return None
        if record.kind != "response" or record.url != url or not record.date or not record.payload_digest:
            return None
        head = b"" if record.http is None else head_digest(record.status_line, record.http.headers)
        return Original(record.date, record.payload_digest, record.header("WARC-IP-Address") or None, head)


class IndexFile:
    """A sorted text file, searched on disk."""

    def __init__(self, path: Path) -> None:
        """Open the file."""
        self._file = path.open("rb")
        self._size = path.stat().st_size

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def lines(self, prefix: str) -> Iterator[bytes]:
        """Yield the lines with this prefix, in order."""
        wanted = prefix.encode()
        self._file.seek(self._start(wanted))
        while line := self._file.readline():
            if line.startswith(wanted):
                yield line
            elif line > wanted:
                return

    def _start(self, wanted: bytes) -> int:
        """Return the start of a line that is at or shortly before the first line with this beginning."""
        low, high = 0, self._size
        while high - low > _PROBE_BYTES:
            middle = (low + high) // 2
            self._file.seek(middle)
            self._file.readline()
            place = self._file.tell()
            line = self._file.readline()
            if place >= high or not line or line >= wanted:
                high = middle
            else:
                low = place
        return low


def _fields(line: bytes) -> dict[str, str]:
    try:
        found = json.loads(line[line.index(b"{") :])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
