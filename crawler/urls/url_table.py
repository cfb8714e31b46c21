"""Maps URLs to page numbers: the URL-seen test, in about 12 bytes for each URL instead of the URL itself.

The first 10 bits of a URL's fingerprint choose one of 1024 *segments*. In its segment, the next 33 bits, the *tag*, say
where the URL is expected. The entries of a segment are sorted by tag, with some free slots between them, so a search
begins at the expected slot and takes some steps to the right. An entry is one integer that holds the tag and the page
number; a second array holds 16 more bits of the fingerprint.

A large segment is 80 to 88 % full. When a segment is fuller, it gets a tenth more slots, and the other segments remain
unchanged. So no call takes longer because the table is large, and hardly any memory is reserved for future entries.
(Alternatives were tried. A single table that doubled its slots took 20 to 60 bytes a URL, and clearing its new slots
took 0.3 s of one call at ten million URLs. It found a URL in half the time, but that saves little: most links of a page
are also on other pages of its site, so their targets are found among recent results, without a search. Sorted arrays
without free slots took 14 bytes a URL, but searches took three times as long.)

The fingerprint is Python's own string hash. Its key differs in every process, so no site can prepare URLs that collide
with those of another site. 59 of its bits are used. The probability that two of n URLs share them is about n**2 /
2**60: 1e-4 for ten million.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

_BULK = 1000
"""If at least this many URLs are added in one call, they are gathered and sorted first, in a third of the time."""
_FEWEST_GATHERED: Final = 1 << 16
_MOST_GATHERED: Final = 1 << 20
"""URLs added in bulk are gathered until they make up a quarter of the table, within these bounds."""

_RECENT: Final = 1 << 14

_SEGMENT_BITS: Final = 10
_TAG_BITS: Final = 33
_PAGE_BITS: Final = 31
_TO_SEGMENT: Final = 64 - _SEGMENT_BITS
_TO_TAG: Final = _TO_SEGMENT - _TAG_BITS
_TAG: Final = (1 << _TAG_BITS) - 1
_REST: Final = (1 << 16) - 1
_PAGE: Final = (1 << _PAGE_BITS) - 1

_FULL: Final = 0.88
_FILLED_TO: Final = 0.8
_SMALL: Final = 512
_SMALL_FILLED_TO: Final = 0.5
"""How full a segment with fewer than `_SMALL` entries is after it has grown. It grows by more than a large segment
does, since memory matters less here than how often it grows.
"""

_Segment = tuple["array[int]", "array[int]", int]
"""Entries, the rest of their fingerprints, and the number of slots where entries are expected.

An entry is tag << 31 | page + 1, or 0 for a free slot. Behind the expected slots are some for entries that were moved
to the right; the very last slot is always free.
"""


class UrlTable:
    """A map from URLs to page numbers that stores fingerprints instead of the URLs."""

    def __init__(self) -> None:
        """Begin without URLs."""
        empty = array("Q", (0,)), array("H", (0,)), 0
        self._segments: list[_Segment] = [empty] * (1 << _SEGMENT_BITS)
        """Segments by the first bits of a fingerprint. These bits are a signed number, so half of the segments have
        negative indices."""
        self._counts = array("i", (0,)) * (1 << _SEGMENT_BITS)
        self._count = 0
        self._recent: dict[str, int] = {}
        """The pages of some URLs that were found lately. Most links of a page are also on other pages of its site."""
        self._gathered: list[tuple[NDArray[np.int64], int]] = []
        """Batches of URLs that are not in the segments yet: their fingerprints, and the page number of the first."""
        self._gathered_count = 0

    def __len__(self) -> int:
        """Return the number of URLs added."""
        return self._count

    def find(self, url: str) -> int:
        """Return the page number of a URL, or -1 if it was never added."""
        return self.find_all((url,))[0]

    def find_all(self, urls: Sequence[str]) -> list[int]:
        """Return the page number of each URL, or -1 for a URL that was never added."""
        recent = self._recent
        found: list[int | None] = list(map(recent.get, urls))
        if None not in found:
            return cast(list[int], found)
        if self._gathered:
            self._place_gathered()
        if len(recent) > _RECENT:
            recent.clear()
        segments = self._segments
        for place, known in enumerate(found):
            if known is not None:
                continue
            url = urls[place]
            key = hash(url)
            entries, rests, size = segments[key >> _TO_SEGMENT]
            tag = key >> _TO_TAG & _TAG
            slot, least = tag * size >> _TAG_BITS, tag << _PAGE_BITS
            while 0 < (entry := entries[slot]) < least:
                slot += 1
            page = -1
            while entry > least and entry >> _PAGE_BITS == tag:
                if rests[slot] == key & _REST:
                    page = recent[url] = (entry & _PAGE) - 1
                    break
                slot += 1  # another URL with the same tag
                entry = entries[slot]
            found[place] = page
        return cast(list[int], found)

    def add(self, url: str, page: int) -> None:
        """Add a URL that is not in the table, with its page number."""
        self.add_all((url,), page)

    def add_all(self, urls: Collection[str], first_page: int) -> None:
        """Add distinct URLs that are not in the table; their page numbers count up from `first_page`."""
        self._count += len(urls)
        if len(urls) >= _BULK:
            self._gathered.append((np.fromiter(map(hash, urls), np.int64, len(urls)), first_page))
            self._gathered_count += len(urls)
            if self._gathered_count > min(max(self._count // 4, _FEWEST_GATHERED), _MOST_GATHERED):
                self._place_gathered()
            return
        segments, counts = self._segments, self._counts
        for stored, url in enumerate(urls, first_page + 1):
            key = hash(url)
            number = key >> _TO_SEGMENT
            entries, rests, size = segments[number]
            counts[number] = count = counts[number] + 1
            tag = key >> _TO_TAG & _TAG
            new = tag << _PAGE_BITS | stored
            slot = tag * size >> _TAG_BITS
            while 0 < entries[slot] < new:
                slot += 1
            free = entries.index(0, slot)
            if count > _FULL * size or free == len(entries) - 1:
                self._insert(number, np.array([new], np.uint64), np.array([key & _REST], np.uint16))
                continue
            if free > slot:
                entries[slot + 1 : free + 1] = entries[slot:free]
                rests[slot + 1 : free + 1] = rests[slot:free]
            entries[slot] = new
            rests[slot] = key & _REST

    def memory_bytes(self) -> int:
        """Return the size of all segments, in bytes."""
        return sum(10 * len(entries) for entries, _, _ in self._segments)

    def _place_gathered(self) -> None:
        """Move the URLs of large batches, which `add_all` only collects, into the segments."""
        keys = np.concatenate([keys for keys, _ in self._gathered])
        pages = np.concatenate([np.arange(first, first + len(keys), dtype=np.int32) for keys, first in self._gathered])
        self._gathered, self._gathered_count = [], 0
        order = np.argsort(keys)
        keys, pages = keys[order], pages[order]
        numbers = keys >> _TO_SEGMENT
        new = (keys >> _TO_TAG & _TAG).astype(np.uint64) << np.uint64(_PAGE_BITS)
        new |= pages.astype(np.uint64) + np.uint64(1)
        rests = (keys & _REST).astype(np.uint16)
        begins = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1)).tolist()
        for begin, end in zip(begins, [*begins[1:], len(keys)], strict=True):
            number = int(numbers[begin])
            self._counts[number] += end - begin
            self._insert(number, new[begin:end], rests[begin:end])

    def _insert(self, number: int, new: NDArray[np.uint64], new_rests: NDArray[np.uint16]) -> None:
        """Rebuild a segment from its old entries and new ones."""
        old_entries, old_rests, _ = self._segments[number]
        entries, rests = np.frombuffer(old_entries, np.uint64), np.frombuffer(old_rests, np.uint16)
        is_taken = entries > 0
        entries, rests = np.concatenate([entries[is_taken], new]), np.concatenate([rests[is_taken], new_rests])
        order = np.argsort(entries)
        entries, rests = entries[order], rests[order]
        size = int(len(entries) / (_SMALL_FILLED_TO if len(entries) < _SMALL else _FILLED_TO)) + 2
        places = np.arange(len(entries))
        expected = ((entries >> np.uint64(_PAGE_BITS)) * np.uint64(size) >> np.uint64(_TAG_BITS)).astype(np.int64)
        slots = places + np.maximum.accumulate(expected - places)
        length = max(size, int(slots[-1]) + 1) + 2 + size // 64
        all_entries, all_rests = array("Q", (0,)) * length, array("H", (0,)) * length
        np.frombuffer(all_entries, np.uint64)[slots] = entries
        np.frombuffer(all_rests, np.uint16)[slots] = rests
        self._segments[number] = all_entries, all_rests, size
