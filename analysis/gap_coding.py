"""Compact codes for numbers and rows of links: gaps between neighbours as LEB128 (seven bits a byte), then deflated.

If pages are numbered in the order of discovery, the links of a page have similar numbers, so most gaps are small (Boldi
& Vigna, "The WebGraph framework I", WWW 2004; their codes are denser and slower to write).
"""

from __future__ import annotations

import zlib
from typing import Final

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import ByteArray, IntArray, OffsetArray, frozen

_LEVEL: Final = 4
"""The zlib level; level 9 would save a tenth of the size and take three times as long."""
_MOST_BYTES: Final = 5
"""The length of the longest code of one number."""


def coded(numbers: IntArray) -> bytes:
    """Return the code of numbers, shape (k,), in any order. It is short if the gaps between neighbours are small."""
    room = np.empty(_MOST_BYTES * len(numbers), np.uint8)
    return zlib.compress(room[: _write(numbers, room)].data, _LEVEL)


def decoded(code: bytes, count: int) -> IntArray:
    """Return the numbers, shape (count,).

    Raises ValueError if the code does not hold that many numbers.
    """
    numbers = np.empty(count, np.int32)
    _check(_read(inflated(code), numbers), count)
    return numbers


def coded_rows(pages: IntArray, ends: OffsetArray, targets: IntArray) -> bytes:
    """Return the code of pages and the links of each page.

    The links of pages[i] are targets[ends[i - 1]:ends[i]], distinct and ascending.
    """
    room = np.empty(_MOST_BYTES * (2 * len(pages) + len(targets)), np.uint8)
    return zlib.compress(room[: _write_rows(pages, ends, targets, room)].data, _LEVEL)


def decoded_rows(code: bytes, count: int, links: int) -> tuple[IntArray, OffsetArray, IntArray]:
    """Return pages, ends and targets, given the numbers of pages and links.

    Raises ValueError if the code does not hold that many numbers.
    """
    pages, ends = np.empty(count, np.int32), np.empty(count, np.int64)
    targets = np.empty(links, np.int32)
    _check(_read_rows(inflated(code), pages, ends, targets), count)
    return pages, ends, targets


def inflated(code: bytes) -> ByteArray:
    """Return the content of deflated bytes, shape (k,).

    Raises ValueError if they are damaged.
    """
    try:
        return frozen(np.frombuffer(zlib.decompress(code), np.uint8))
    except zlib.error as error:
        raise ValueError(f"{len(code)} bytes are not deflated: {error}") from error


def _check(found: int, count: int) -> None:
    if found != count:
        raise ValueError(f"the code should hold {count} rows or numbers, but holds {found}")


@compiled
def _put(number: int, room: ByteArray, end: int) -> int:
    """Write a non-negative number at `end`, and return the position after it."""
    while number >= 128:
        room[end] = number % 128 + 128
        number //= 128
        end += 1
    room[end] = number
    return end + 1


@compiled
def _write(numbers: IntArray, room: ByteArray) -> int:
    end, last = 0, 0
    for i in range(len(numbers)):
        gap = int(numbers[i]) - last
        end = _put(2 * gap if gap >= 0 else -2 * gap - 1, room, end)
        last = int(numbers[i])
    return end


@compiled
def _read(code: ByteArray, numbers: IntArray) -> int:
    """Fill in `numbers`. Return how many the code holds, or -1 if it holds more than fit."""
    at, last, size = 0, 0, len(code)
    for i in range(len(numbers)):
        value, scale = 0, 1
        while at < size and code[at] >= 128:
            value += (int(code[at]) - 128) * scale
            scale *= 128
            at += 1
        if at == size:
            return i
        value += int(code[at]) * scale
        at += 1
        last += value // 2 if value % 2 == 0 else -(value + 1) // 2
        numbers[i] = last
    return len(numbers) if at == size else -1


@compiled
def _write_rows(pages: IntArray, ends: OffsetArray, targets: IntArray, room: ByteArray) -> int:
    """Write, for each page, its gap to the previous page, its number of links, and its targets as gaps.

    The first gap leads from the page to its first target; gaps between targets are reduced by 1.
    """
    end, last, begin = 0, 0, 0
    for i in range(len(pages)):
        page = int(pages[i])
        gap = page - last
        end = _put(2 * gap if gap >= 0 else -2 * gap - 1, room, end)
        end = _put(int(ends[i]) - begin, room, end)
        before = page
        for link in range(begin, ends[i]):
            gap = int(targets[link]) - before
            end = _put((2 * gap if gap >= 0 else -2 * gap - 1) if link == begin else gap - 1, room, end)
            before = int(targets[link])
        last, begin = page, int(ends[i])
    return end


@compiled
def _read_rows(code: ByteArray, pages: IntArray, ends: OffsetArray, targets: IntArray) -> int:
    """Fill in the rows. Return how many the code holds, or -1 if it holds more rows or links than fit."""
    at, size, last, link = 0, len(code), 0, 0
    for i in range(len(pages)):
        count, page, field = 0, 0, 0
        while field < 2 + count:
            value, scale = 0, 1
            while at < size and code[at] >= 128:
                value += (int(code[at]) - 128) * scale
                scale *= 128
                at += 1
            if at == size:
                return i
            value += int(code[at]) * scale
            at += 1
            signed = value // 2 if value % 2 == 0 else -(value + 1) // 2
            if field == 0:
                page = last + signed
                pages[i] = page
                last = page
            elif field == 1:
                count = value
                if link + count > len(targets):
                    return -1
            elif field == 2:
                last = page + signed
                targets[link] = last
            else:
                last += value + 1
                targets[link] = last
            if field >= 2:
                link += 1
            field += 1
        last = page
        ends[i] = link
    return len(pages) if at == size and link == len(targets) else -1
