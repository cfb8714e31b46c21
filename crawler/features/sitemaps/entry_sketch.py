"""Estimates how much a sitemap changed between two readings, from a few bytes about each reading.

A bottom-k sketch (Broder, "On the resemblance and containment of documents", 1997) keeps the k URLs with the smallest
hashes. These URLs are a random sample, which stays the same while all of them are listed. Each is kept with a hash of
its lastmod. The shares are exact for up to k URLs, and estimates otherwise; if the sitemap did not grow, their standard
error is at most 1 / (2 √k), or 9 %.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from hashlib import blake2b
from heapq import heappush, heapreplace
from typing import Final

_SAMPLE: Final = 32
_ENTRY: Final = struct.Struct(">6s2s")


class EntrySketch:
    """A sketch of the entries added to it: 8 bytes for each of at most 32 entries. Mutable."""

    def __init__(self) -> None:
        """Start without entries."""
        self._heap: list[tuple[int, bytes]] = []
        """Pairs of the negated hash of a URL, so that the largest hash is first, and the hash of its lastmod."""
        self._sampled = set[int]()

    def add(self, url: str, lastmod: float | None) -> None:
        """Add an entry. If a URL is added repeatedly, only the first time counts."""
        key = -int.from_bytes(blake2b(url.encode(), digest_size=6).digest())
        if key in self._sampled or (len(self._heap) == _SAMPLE and key < self._heap[0][0]):
            return
        entry = (key, blake2b(repr(lastmod).encode(), digest_size=2).digest())
        self._sampled.add(key)
        if len(self._heap) < _SAMPLE:
            heappush(self._heap, entry)
        else:
            self._sampled.discard(heapreplace(self._heap, entry)[0])

    def packed(self) -> bytes:
        """Return the sketch as bytes, for `change_between`."""
        return b"".join(_ENTRY.pack((-key).to_bytes(6), when) for key, when in sorted(self._heap, reverse=True))


@dataclass(frozen=True, slots=True)
class EntryChange:
    """How much a sitemap has changed, as shares of the URLs that it lists now, from 0 to 1.

    `new` is the share of URLs that were not listed before, and `moved` the share of URLs whose lastmod has changed.
    """

    new: float
    moved: float


def change_between(before: bytes, now: bytes) -> EntryChange:
    """Return the change from one packed sketch to another."""
    old, current = dict(_ENTRY.iter_unpack(before)), dict(_ENTRY.iter_unpack(now))
    # Beyond the largest hash of a full sample nothing is known about the URLs that it was taken from.
    limit = min(max(each) if len(each) == _SAMPLE else b"\xff" * 7 for each in (old, current))
    known = {key: when for key, when in current.items() if key <= limit}
    if not known:
        return EntryChange(0.0, 0.0)
    new = sum(key not in old for key in known)
    moved = sum(key in old and old[key] != when for key, when in known.items())
    return EntryChange(new / len(known), moved / len(known))
