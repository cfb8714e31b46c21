"""External merge sort, for items that would take too much memory.

Items are sorted in runs, written to a file and merged (Knuth, The Art of Computer Programming, volume 3, section 5.4).
"""

from __future__ import annotations

import marshal
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Generic, Self, TypeVar

Item = TypeVar("Item", bound=tuple[Any, ...] | str | bytes)

MOST_HELD: Final = 1 << 15
_MERGED: Final = 64
"""How many runs of one size are merged into the next larger one."""
_LENGTH: Final = 8


@dataclass(frozen=True, slots=True)
class _SortedRun:
    """The position of a run of sorted items in the file, in bytes."""

    begin: int
    end: int


class SortedRuns(Generic[Item]):
    """Takes items in any order and iterates over all of them in ascending order, as often as needed.

    While items are added, at most `most` of them are in memory, and the others are in the file. During iteration, there
    may be twice as many in memory if there are more than 64 times `most` items, three times as many beyond 64² times
    `most`, and so on. Items are tuples, text or bytes; tuples may hold anything that `marshal` supports. Raises OSError
    if there is no space.
    """

    def __init__(self, file: IO[bytes], most: int) -> None:
        """Start without items, with an empty file."""
        self._file = file
        self._most = most
        self._at_once = max(1, most // _MERGED)
        self._held: list[Item] = []
        self._levels: list[list[_SortedRun]] = []

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, most: int = MOST_HELD) -> Iterator[Self]:
        """Yield an instance that uses an unnamed file in the folder, and delete the file at the end of the block."""
        with tempfile.TemporaryFile(dir=folder) as file:
            yield cls(file, most)

    def add(self, item: Item) -> None:
        """Add an item."""
        self._held.append(item)
        if len(self._held) >= self._most:
            self._write_held()

    def extend(self, items: Iterable[Item]) -> None:
        """Add items, in any order."""
        coming = iter(items)
        while part := list(islice(coming, self._most - len(self._held))):
            self._held += part
            if len(self._held) >= self._most:
                self._write_held()

    def __iter__(self) -> Iterator[Item]:
        """Iterate over all items in ascending order."""
        if self._levels and self._held:
            self._write_held()
        self._held.sort()
        return merge(self._held, *(self._read(run) for runs in self._levels for run in runs))

    def _write_held(self) -> None:
        self._held.sort()
        self._keep(self._written(self._held), 0)
        self._held = []

    def _keep(self, run: _SortedRun, level: int) -> None:
        if level == len(self._levels):
            self._levels.append([])
        runs = self._levels[level]
        runs.append(run)
        if len(runs) == _MERGED:
            self._levels[level] = []
            self._keep(self._written(merge(*map(self._read, runs))), level + 1)

    def _written(self, items: Iterable[Item]) -> _SortedRun:
        coming, begin = iter(items), self._file.seek(0, os.SEEK_END)
        while part := list(islice(coming, self._at_once)):
            packed = marshal.dumps(part)
            self._file.write(len(packed).to_bytes(_LENGTH, "big") + packed)
        self._file.flush()
        return _SortedRun(begin, self._file.tell())

    def _read(self, run: _SortedRun) -> Iterator[Item]:
        place = run.begin
        while place < run.end:
            length = int.from_bytes(os.pread(self._file.fileno(), _LENGTH, place), "big")
            yield from marshal.loads(os.pread(self._file.fileno(), length, place + _LENGTH))
            place += _LENGTH + length


def in_order(items: Iterable[Item], folder: Path) -> Iterator[Item]:
    """Yield the items in ascending order, like `sorted`, but by SortedRuns with a temporary file in `folder`."""
    with SortedRuns[Item].opened(folder, MOST_HELD) as runs:
        runs.extend(items)
        yield from runs
