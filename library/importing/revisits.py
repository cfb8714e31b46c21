"""Revisit records: answers that repeat an earlier answer, whose body an archive therefore holds only once. Pure.

Usually the store already has the answer that is repeated, as the current version of the page. It has not if the page
was different in between, or if the answer belongs to another URL. Then the archives are read again at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import floor
from typing import Final

from hinterland.library.importing.items import ArchivedResponse, ArchivedRevisit

MOST_WANTED: Final = 1_000_000
"""At most this many revisits wait for their originals, at some 300 bytes each."""

Original = tuple[str, float]
"""The canonical URL of an answer, and its time in epoch seconds as revisits name it, perhaps without fractions."""


class WantedOriginals:
    """The answers that must be read again, each with the revisits that repeat it. Mutable."""

    def __init__(self) -> None:
        """Start without any answer."""
        self._revisits: dict[Original, dict[str, ArchivedRevisit]] = {}
        self._count = 0

    def __len__(self) -> int:
        """Return the number of revisits whose originals have not been found yet."""
        return self._count

    def add(self, original: Original, revisit: ArchivedRevisit, url: str) -> bool:
        """Note that the original of a revisit to a canonical URL is wanted. Return False if too many already are.

        If several revisits of the same URL have the same original, the last counts.
        """
        of_original = self._revisits.setdefault(original, {})
        if url not in of_original:
            if self._count >= MOST_WANTED:
                return False
            self._count += 1
        of_original[url] = revisit
        return True

    def found(self, item: ArchivedResponse, url: str) -> Iterator[ArchivedResponse]:
        """Yield an answer, which was captured at a canonical URL, once for each revisit that repeats it.

        The result has the URL and the time of the revisit.
        """
        for at in (item.captured_at, float(floor(item.captured_at))):
            for revisit in self._revisits.pop((url, at), {}).values():
                self._count -= 1
                address = revisit.address or item.address
                yield replace(item, url=revisit.url, captured_at=revisit.captured_at, address=address)
