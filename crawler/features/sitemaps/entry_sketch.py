"""How much of a sitemap stayed the same from one reading to the next, from a few bytes about each.

A bottom-k sketch (Broder, "On the resemblance and containment of documents", 1997) keeps the k URLs with the smallest
hashes, which are a random sample, and the same sample as long as these URLs are listed. Each is kept with a hash of its
lastmod. So the shares are estimates; they are exact for k URLs or fewer. Otherwise their standard error is at most 9 %
if the sitemap did not grow, 1 / (2 √k).
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
    """Takes entries, and gives 8 bytes for each of at most 32. Mutable."""

    def __init__(self) -> None:
        """Start without entries."""
        self._heap: list[tuple[int, bytes]] = []
        """(hash, negated so that the largest is first; hash of lastmod)."""
        self._sampled = set[int]()

    def add(self, url: str, lastmod: float | None) -> None:
        """Add an entry. A URL that was added before counts once, with its first lastmod."""
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
    """Shares of the URLs that a sitemap lists now, from 0 to 1.

    `new` is the share that it did not list before, `moved` the share that it listed with another lastmod.
    """

    new: float
    moved: float


def change_between(before: bytes, now: bytes) -> EntryChange:
    """Return the change between two packed sketches."""
    old, current = dict(_ENTRY.iter_unpack(before)), dict(_ENTRY.iter_unpack(now))
    # Beyond the largest hash of a full sample nothing is known about the URLs that it was taken from.
    limit = min(max(each) if len(each) == _SAMPLE else b"\xff" * 7 for each in (old, current))
    known = {key: when for key, when in current.items() if key <= limit}
    if not known:
        return EntryChange(0.0, 0.0)
    new = sum(key not in old for key in known)
    moved = sum(key in old and old[key] != when for key, when in known.items())
    return EntryChange(new / len(known), moved / len(known))
