"""Decodes the chunks of an HTTP message (RFC 9112, section 7.1), as leniently as browsers do."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

_MAX_SIZE_LINE: Final = 1 << 14
"""The longest line with a chunk's size and extensions, in bytes. aiohttp has the same limit."""
_SIZE: Final = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_BEGINNING: Final = re.compile(rb"[ \t]*[0-9A-Fa-f]{0,15}[ \t]*(?:;[^\n]*)?\r?")


class _Expected(Enum):
    SIZE = auto()
    DATA = auto()
    END_OF_DATA = auto()
    NOTHING = auto()
    """After the last chunk: trailers may follow, but are not part of the body."""
    PLAIN = auto()
    """The body is not chunked although the message says so: some archives store decoded bodies, but keep the header
    field.
    """


class ChunkReader:
    """Decodes a chunked body. Call `feed` with each piece of the body as sent, then `rest`. Mutable.

    Nothing is returned until it is known that the first chunk ends where its size says. If it ends elsewhere, the body
    is not chunked, and is returned as it was fed. Later data that are not a valid chunk are returned as they are.
    """

    def __init__(self) -> None:
        """Start at the beginning of a body."""
        self._expected = _Expected.SIZE
        self._buffer = bytearray()
        self._left = 0
        self._first: bytearray | None = bytearray()
        """Everything fed, until the first chunk has ended."""
        self._first_data = bytearray()
        self._has_bare_line = False

    @property
    def is_over(self) -> bool:
        """Whether the body is complete, so that further data is ignored."""
        return self._expected is _Expected.NOTHING

    @property
    def held_bytes(self) -> int:
        """How many bytes are held back until the first chunk has ended."""
        return len(self._first_data)

    def feed(self, data: bytes) -> bytes:
        """Take the next piece of the body as sent, and return the decoded bytes that are known by now."""
        if self._first is not None:
            self._first += data
        self._buffer += data
        found = bytearray()
        while self._buffer:
            if self._expected is _Expected.SIZE:
                if not self._take_size():
                    break
            elif self._expected is _Expected.DATA:
                part = self._buffer[: self._left]
                self._left -= len(part)
                del self._buffer[: len(part)]
                (found if self._first is None else self._first_data).extend(part)
                if not self._left:
                    self._expected = _Expected.END_OF_DATA
            elif self._expected is _Expected.END_OF_DATA:
                if self._buffer == b"\r":
                    break
                found += self._end_chunk()
            elif self._expected is _Expected.NOTHING:
                self._buffer.clear()
            else:
                found += self._buffer
                self._buffer.clear()
        if self.is_over and self._first is not None:  # it was empty
            self._first = None
        return bytes(found)

    def rest(self) -> bytes:
        """Return the bytes that were held back, at the end of the body.

        A message that ends within a chunk was cut off there.
        """
        if self._first is None:
            is_framing = self._expected is not _Expected.SIZE or _BEGINNING.fullmatch(self._buffer)
            return b"" if is_framing else bytes(self._buffer)
        is_chunk = self._expected is _Expected.END_OF_DATA or (
            self._expected is _Expected.DATA and not self._has_bare_line
        )
        return bytes(self._first_data if is_chunk else self._first)

    def _take_size(self) -> bool:
        """Read the size of the next chunk; return False if more input is needed."""
        end = self._buffer.find(b"\n") + 1
        if not end and len(self._buffer) < _MAX_SIZE_LINE:
            return False
        line = _SIZE.fullmatch(self._buffer[:end])
        if line is None or end > _MAX_SIZE_LINE:
            self._be_plain()
            return True
        if self._first is not None:
            self._has_bare_line = not line[0].endswith(b"\r\n")
        self._left = int(line[1], 16)
        self._expected = _Expected.DATA if self._left else _Expected.NOTHING
        del self._buffer[:end]
        return True

    def _end_chunk(self) -> bytes:
        """Read the end of the line after a chunk, and return the bytes that can be returned now."""
        for end in (b"\r\n", b"\n"):
            if self._buffer.startswith(end):
                del self._buffer[: len(end)]
                self._expected = _Expected.SIZE
                if self._first is None:
                    return b""
                data, self._first, self._first_data = self._first_data, None, bytearray()
                return bytes(data)
        self._be_plain()
        return b""

    def _be_plain(self) -> None:
        self._expected = _Expected.PLAIN
        if self._first is not None:
            self._buffer, self._first = self._first, None
