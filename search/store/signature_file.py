"""Signatures of many pages on disk, stored band by band, the order in which near-duplicate detection reads them."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

import numpy as np
from numpy.typing import NDArray


class SignatureFile:
    """A file of `rows` signatures of `width` numbers, in bands of `depth` numbers.

    Signatures that are not written are all `empty`. Raises OSError if there is no space.
    """

    def __init__(self, file: IO[bytes], rows: int, width: int, depth: int, empty: int) -> None:
        """Wrap an empty file."""
        self._file = file
        self._rows = rows
        self._width = width
        self._depth = depth
        self._empty = empty

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, rows: int, width: int, depth: int, empty: int) -> Iterator[Self]:
        """Open an unnamed temporary file in the folder until the block ends."""
        with tempfile.TemporaryFile(dir=folder) as file:
            yield cls(file, rows, width, depth, empty)

    def __len__(self) -> int:
        """Return the number of signatures."""
        return self._rows

    def write(self, start: int, count: int, places: Iterable[int], signatures: Iterable[bytes]) -> None:
        """Write the rows from `start` to start + count.

        `places` are the row numbers of the signatures relative to `start`; each signature is uint16, little-endian.
        """
        rows = np.full((count, self._width), self._empty, np.uint16)
        for place, signature in zip(places, signatures, strict=True):
            if len(signature) == 2 * self._width:
                rows[place] = np.frombuffer(signature, "<u2")
        for band in range(self._width // self._depth):
            part = rows[:, band * self._depth : (band + 1) * self._depth]
            self._pwrite(part.tobytes(), 2 * self._depth * (band * self._rows + start))

    def band(self, number: int) -> NDArray[np.uint16]:
        """Return one band, shape (rows, depth), memory-mapped; call it once all rows are written."""
        if not self._rows:
            return np.empty((0, self._depth), np.uint16)
        mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        count = self._depth * self._rows
        return np.frombuffer(mapped, np.uint16, count, 2 * number * count).reshape(self._rows, self._depth)

    def _pwrite(self, content: bytes, offset: int) -> None:
        written = 0
        while written < len(content):
            written += os.pwrite(self._file.fileno(), content[written:], offset + written)
