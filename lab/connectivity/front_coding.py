"""A sorted list of texts. Each text is stored as its difference from the previous text.

Witten, Moffat & Bell, "Managing Gigabytes" (1999), section 4.1. Successive URLs have most of their characters in
common.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hinterland.analysis.graph import OffsetArray

_TOGETHER = 32
"""Texts in a block; the first of a block is stored whole."""


@dataclass(frozen=True, eq=False, slots=True)
class FrontCoded:
    """An immutable list of `size` texts in ascending order of their UTF-8.

    `starts` says where each block begins in `data`, shape (blocks,).
    """

    data: bytes
    starts: OffsetArray
    size: int

    @classmethod
    def of(cls, texts: Iterable[str]) -> FrontCoded:
        """Encode texts in ascending order, repeats allowed. Raises ValueError if they do not ascend."""
        data, starts, last, count = bytearray(), list[int](), b"", 0
        for count, text in enumerate(texts, 1):
            coded = text.encode("utf-8", "surrogatepass")
            if coded < last:
                raise ValueError(f"{text!r} comes after {last.decode('utf-8', 'surrogatepass')!r}: sort them first")
            if count % _TOGETHER == 1:
                starts.append(len(data))
                last = b""
            shared = _shared(last, coded)
            _write_number(data, shared)
            _write_number(data, len(coded) - shared)
            data += coded[shared:]
            last = coded
        return cls(bytes(data), np.array(starts, np.int64), count)

    def __len__(self) -> int:
        """Return the number of texts."""
        return self.size

    def __getitem__(self, place: int) -> str:
        """Return the text at an index. Raises IndexError."""
        if not 0 <= place < self.size:
            raise IndexError(f"there is no text {place}; the list has {self.size}, numbered from 0")
        for at, text in enumerate(self._block(place // _TOGETHER)):
            if at == place % _TOGETHER:
                return text.decode("utf-8", "surrogatepass")
        raise AssertionError("a block ended early")

    def __iter__(self) -> Iterator[str]:
        """Yield the texts in ascending order."""
        for block in range(len(self.starts)):
            for text in self._block(block):
                yield text.decode("utf-8", "surrogatepass")

    def place_of(self, text: str) -> int | None:
        """Return the index of the first text that is equal to this text; None if there is none."""
        place = self.place_before(text)
        return place if place < self.size and self[place] == text else None

    def place_before(self, text: str) -> int:
        """Return how many texts come before this text. This is also the index at which it would be inserted."""
        coded = text.encode("utf-8", "surrogatepass")
        block = bisect_right(range(len(self.starts)), coded, key=self._first, hi=len(self.starts)) - 1
        while block > 0 and self._first(block) == coded:
            block -= 1  # repeats may reach back into the block before
        if block < 0:
            return 0
        place = block * _TOGETHER
        for each in self._block(block):
            if each >= coded:
                return place
            place += 1
        return place

    @property
    def byte_count(self) -> int:
        """The size in memory, in bytes."""
        return len(self.data) + self.starts.nbytes

    def _first(self, block: int) -> bytes:
        return next(self._block(block))

    def _block(self, block: int) -> Iterator[bytes]:
        position, text = int(self.starts[block]), b""
        for _ in range(min(_TOGETHER, self.size - block * _TOGETHER)):
            shared, position = _read_number(self.data, position)
            length, position = _read_number(self.data, position)
            text = text[:shared] + self.data[position : position + length]
            position += length
            yield text


def _shared(one: bytes, other: bytes) -> int:
    """Return the length of the longest common prefix, in bytes."""
    least = min(len(one), len(other))
    if one[:least] == other[:least]:
        return least
    low, high = 0, least
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _write_number(data: bytearray, number: int) -> None:
    """Append a number, with seven bits per byte, the lowest bits first."""
    while number >= 128:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)


def _read_number(data: bytes, position: int) -> tuple[int, int]:
    number, shift = 0, 0
    while data[position] >= 128:
        number |= (data[position] & 127) << shift
        position += 1
        shift += 7
    return number | data[position] << shift, position + 1
