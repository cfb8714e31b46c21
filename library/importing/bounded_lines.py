"""Reads the lines of a file, some of which may be endless."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader
from typing import Final

_MOST_BYTES: Final = 32 << 20


def bounded_lines(file: BufferedReader) -> Iterator[bytes | None]:
    """Yield lines, and None in place of each line that is too long."""
    while line := file.readline(_MOST_BYTES):
        if len(line) < _MOST_BYTES or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(_MOST_BYTES)
        yield None
