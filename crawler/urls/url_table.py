"""Maps URLs to page numbers: the URL-seen test, in 12 bytes per slot instead of the URL itself.

The table uses open addressing on 64-bit fingerprints in two flat arrays. (A numpy version that looked up all links of a
page at once took 178 µs for 46 links, since every probing round costs ten array operations; this loop took 13. A dict
of ints would be simpler, but needs two Python objects per entry instead of 12 bytes per slot.)

The fingerprint is Python's own string hash, which has a new key in every process, so no site can prepare URLs that
collide with another's. The probability that two of n URLs share a fingerprint is about n**2 / 2**65: 3e-6 for ten
million. Growth moves a few entries per call, so no single call stalls the crawl.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

_FULL = 0.6
_MOVED_PER_CALL = 512
_BULK = 1000
"""If at least this many URLs are added at once, they are inserted together, which takes 0.1 instead of 0.5 µs each."""


class _Slots:
    """A fixed table of 2**k slots with linear probing; a slot holds page + 1, or 0 if it is empty."""

    __slots__ = ("keys", "mask", "pages", "used")

    def __init__(self, size: int) -> None:
        """Make `size` empty slots; it must be a power of two."""
        self.keys = array("q", bytes(8 * size))
        self.pages = array("i", bytes(4 * size))
        self.mask = size - 1
        self.used = 0

    def find(self, key: int) -> int:
        """Return the page with this fingerprint; -1 if there is none."""
        keys, pages, mask = self.keys, self.pages, self.mask
        slot = key & mask
        while page := pages[slot]:
            if keys[slot] == key:
                return page - 1
            slot = (slot + 1) & mask
        return -1

    def insert(self, key: int, page: int) -> None:
        """Insert a fingerprint that the table does not hold."""
        pages, mask = self.pages, self.mask
        slot = key & mask
        while pages[slot]:
            slot = (slot + 1) & mask
        self.keys[slot] = key
        pages[slot] = page + 1
        self.used += 1

    def insert_all(self, new_keys: NDArray[np.int64], first_page: int) -> None:
        """Insert many fingerprints at once, in rounds.

        In each round, all remaining fingerprints try their next slot; if several meet at a free slot, one of them gets
        it.
        """
        keys, pages = np.frombuffer(self.keys, np.int64), np.frombuffer(self.pages, np.int32)
        left, stored = new_keys, np.arange(first_page + 1, first_page + 1 + len(new_keys), dtype=np.int32)
        slots = left & self.mask
        while len(left):
            is_free = pages[slots] == 0
            pages[slots[is_free]] = stored[is_free]
            stays = is_free & (pages[slots] == stored)
            keys[slots[stays]] = left[stays]
            left, stored, slots = left[~stays], stored[~stays], (slots[~stays] + 1) & self.mask
        self.used += len(new_keys)


def _size_for(capacity: int) -> int:
    return 1 << max(4, int(capacity / _FULL).bit_length())


class UrlTable:
    """Page numbers by the fingerprints of URLs."""

    def __init__(self, capacity: int = 1 << 14) -> None:
        """Begin with room for `capacity` URLs."""
        self._slots = _Slots(_size_for(capacity))
        self._old: _Slots | None = None
        self._moved = 0

    def __len__(self) -> int:
        """Return the number of URLs added."""
        return self._slots.used + (0 if self._old is None else self._old.used)

    def find(self, url: str) -> int:
        """Return the page number of a URL, or -1 if it was never added."""
        key = hash(url)
        page = self._slots.find(key)
        return page if page >= 0 or self._old is None else self._old.find(key)

    def find_all(self, urls: Iterable[str]) -> list[int]:
        """Return `find` for each URL; one loop, because this runs for every link of every page."""
        if self._old is not None:
            return [self.find(url) for url in urls]
        keys, pages, mask = self._slots.keys, self._slots.pages, self._slots.mask
        found = []
        for url in urls:
            key = hash(url)
            slot = key & mask
            while page := pages[slot]:
                if keys[slot] == key:
                    break
                slot = (slot + 1) & mask
            found.append(page - 1)
        return found

    def reserve(self, count: int) -> None:
        """If the table is empty, make room for `count` URLs, so that it need not grow step by step."""
        if not len(self):
            self._slots, self._old = _Slots(_size_for(max(count, self._slots.mask // 2))), None

    def add(self, url: str, page: int) -> None:
        """Add a URL that is not in the table."""
        self.add_all((url,), page)

    def add_all(self, urls: Collection[str], first_page: int) -> None:
        """Add distinct URLs that are not in the table; their page numbers count up from `first_page`."""
        if self._old is not None:
            self._move_some(_MOVED_PER_CALL + 4 * len(urls))
        while self._slots.used + len(urls) > _FULL * self._slots.mask:
            self._move_some(self._slots.mask + 1)
            self._old, self._moved = self._slots, 0
            self._slots = _Slots(2 * (self._slots.mask + 1))
        if len(urls) >= _BULK:
            self._slots.insert_all(np.fromiter(map(hash, urls), np.int64, len(urls)), first_page)
            return
        keys, pages, mask = self._slots.keys, self._slots.pages, self._slots.mask
        for stored, url in enumerate(urls, first_page + 1):
            key = hash(url)
            slot = key & mask
            while pages[slot]:
                slot = (slot + 1) & mask
            keys[slot] = key
            pages[slot] = stored
        self._slots.used += len(urls)

    def memory_bytes(self) -> int:
        """Return the size of all slots, in bytes."""
        tables = [self._slots] if self._old is None else [self._slots, self._old]
        return sum(12 * (table.mask + 1) for table in tables)

    def _move_some(self, count: int) -> None:
        """Move the next `count` slots of the old table to the new one; a moved entry may remain readable in both."""
        old = self._old
        if old is None:
            return
        end = min(self._moved + count, old.mask + 1)
        for slot in range(self._moved, end):
            if page := old.pages[slot]:
                self._slots.insert(old.keys[slot], page - 1)
                old.used -= 1
        self._moved = end
        if end > old.mask:
            self._old = None
