"""How much of a sitemap stayed as it was from one reading to the next, from a few bytes about each.

A bottom-k sketch (Broder, "On the resemblance and containment of documents", 1997): of all URLs the k with the
smallest hashes, which are a random sample of them, and the same sample as long as they are named. Beside each stands a
hash of its lastmod. So the shares are estimates, exact where there are k URLs or fewer; else their standard error is
9 % at most if the sitemap did not grow, 1 / (2 √k).
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
    """Mutable: entries in, 8 bytes for each of at most 32 out."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, bytes]] = []
        """(hash, its negative so that the largest is first; hash of lastmod)."""
        self._sampled = set[int]()

    def add(self, url: str, lastmod: float | None) -> None:
        """What was added before counts once, with its first lastmod."""
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
        return b"".join(_ENTRY.pack((-key).to_bytes(6), when) for key, when in sorted(self._heap, reverse=True))


@dataclass(frozen=True, slots=True)
class EntryChange:
    """Shares of the URLs that a sitemap names now, from 0 to 1. new: it did not name them before. moved: it did, with
    another lastmod.
    """

    new: float
    moved: float


def change_between(before: bytes, now: bytes) -> EntryChange:
    """Of two packed sketches."""
    old, current = dict(_ENTRY.iter_unpack(before)), dict(_ENTRY.iter_unpack(now))
    # Beyond the largest hash of a sample that is full, nothing is known of what it was taken from.
    limit = min(max(each) if len(each) == _SAMPLE else b"\xff" * 7 for each in (old, current))
    known = {key: when for key, when in current.items() if key <= limit}
    if not known:
        return EntryChange(0.0, 0.0)
    new = sum(key not in old for key in known)
    moved = sum(key in old and old[key] != when for key, when in known.items())
    return EntryChange(new / len(known), moved / len(known))
