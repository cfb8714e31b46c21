"""The faults that a rule has found, as columns, since a site may have a hundred thousand faults of one kind. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import IntArray, OffsetArray

NO_PAGE: Final = -1

Numbers = NDArray[np.integer[Any]]
"""Page numbers or places, of any integer type."""


@dataclass(frozen=True, slots=True, eq=False)
class Causes:
    """The pages that cause each of k faults, such as the pages that contain a broken link.

    The causes of fault i are sources[offsets[i]:offsets[i + 1]], distinct and ascending; `offsets` has shape (k + 1,).
    """

    offsets: OffsetArray
    sources: IntArray

    def of(self, fault: int) -> IntArray:
        """Return the pages that cause a fault."""
        return self.sources[self.offsets[fault] : self.offsets[fault + 1]]

    def counts(self) -> OffsetArray:
        """Return how many pages cause each fault, shape (k,)."""
        return np.diff(self.offsets)

    def only(self, chosen: Sequence[int] | Numbers) -> Causes:
        """Return the causes of these faults, in this order."""
        parts = [self.of(int(fault)) for fault in chosen]
        offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
        return Causes(offsets, np.concatenate(parts).astype(np.int32) if parts else np.empty(0, np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class Faults:
    """k faults of one kind.

    `pages`, shape (k,), are the pages at fault. An entry of NO_PAGE means that a URL that is not a page is at fault; it
    is in `urls`. `notes` says what exactly is wrong. `urls` and `notes` are empty or have k entries. Without `causes`,
    each page at fault causes its own fault.
    """

    pages: IntArray
    notes: Sequence[str] = ()
    urls: Sequence[str] = ()
    causes: Causes | None = None

    @classmethod
    def of(cls, pages: Sequence[int] | Numbers, notes: Sequence[str] = (), causes: Causes | None = None) -> Faults:
        """Return faults of pages that are in the store."""
        return cls(np.asarray(pages, np.int32), notes, (), causes)

    @classmethod
    def elsewhere(cls, urls: Sequence[str], notes: Sequence[str], causes: Causes) -> Faults:
        """Return faults of URLs that are not pages of the store, such as URLs of images."""
        return cls(np.full(len(urls), NO_PAGE, np.int32), notes, urls, causes)

    def __len__(self) -> int:
        """Return the number of faults, k."""
        return len(self.pages)

    def note(self, fault: int) -> str:
        """Return what exactly is wrong; "" if the title of the rule says it all."""
        return self.notes[fault] if self.notes else ""

    def only(self, chosen: Sequence[int] | Numbers) -> Faults:
        """Return the faults at these positions, in this order."""
        places = [int(fault) for fault in chosen]
        return Faults(
            self.pages[places] if places else self.pages[:0],
            [self.notes[fault] for fault in places] if self.notes else (),
            [self.urls[fault] for fault in places] if self.urls else (),
            None if self.causes is None else self.causes.only(places),
        )


NO_FAULTS: Final = Faults.of([])


def grouped_causes(faults: int, places: IntArray, sources: IntArray) -> Causes:
    """Return the causes of `faults` faults. They are given as pairs: page sources[i] causes the fault at places[i]."""
    if not len(places):
        return Causes(np.zeros(faults + 1, np.int64), np.empty(0, np.int32))
    pairs = np.unique((places.astype(np.int64) << 32) | sources.astype(np.int64))
    counts = np.bincount((pairs >> 32).astype(np.int64), minlength=faults)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Causes(offsets, (pairs & 0xFFFFFFFF).astype(np.int32))
