"""What a schedule knows about each page, in flat arrays; the time at which it is due is in `due_order`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.recrawl.change_evidence import ChangeEvidence
from hinterland.crawler.features.recrawl.policy import IntArray

KNOWN, FAILED = 64, 128
"""Bits of `flags`: the page was added; its last visit failed, so that learning does not change its time."""

_COLUMNS: Final[Mapping[str, type[np.generic]]] = {
    "importance": np.float32,
    "last_visit": np.uint32,
    "rate": np.float32,
    "flags": np.uint8,
}


class ScheduledPages:
    """Flat arrays by page number: 13 bytes for each page, and 12 bytes of evidence about its changes.

    `last_visit` is in whole seconds; `rate` is in changes per second, 0 if unknown.
    """

    importance: NDArray[np.float32]
    last_visit: NDArray[np.uint32]
    rate: NDArray[np.float32]
    flags: NDArray[np.uint8]

    def __init__(self) -> None:
        """Start without pages."""
        self.evidence = ChangeEvidence()
        for name, kind in _COLUMNS.items():
            setattr(self, name, np.zeros(0, kind))

    def __len__(self) -> int:
        """Return how many pages there is room for."""
        return len(self.flags)

    def grow(self, page_count: int) -> None:
        """Make room for `page_count` pages."""
        missing = max(page_count - len(self), 0)
        for name in _COLUMNS:
            column = getattr(self, name)
            setattr(self, name, np.append(column, np.zeros(missing, column.dtype)))
        self.evidence.grow(page_count)

    def copy(self) -> ScheduledPages:
        """Return a copy without the evidence."""
        copied = ScheduledPages()
        for name in _COLUMNS:
            setattr(copied, name, getattr(self, name).copy())
        return copied

    def known(self) -> IntArray:
        """Return the pages that were added and not retired since, ascending."""
        return np.flatnonzero(self.flags & KNOWN)

    def columns(self, pages: IntArray) -> dict[str, NDArray[np.generic]]:
        """Return the columns of some pages by name, as copies, with the columns of the evidence."""
        own = {name: getattr(self, name)[pages] for name in _COLUMNS}
        return own | dict(self.evidence.of(pages).columns())

    def set_columns(self, pages: IntArray, columns: Mapping[str, NDArray[np.generic]]) -> None:
        """Set columns returned by `columns`, in arrays of any numeric type; there must be room for the pages.

        Raises ValueError if a column is missing.
        """
        missing = _COLUMNS.keys() - columns.keys()
        if missing:
            raise ValueError(f"missing columns: {', '.join(sorted(missing))}; given: {', '.join(sorted(columns))}")
        for name, kind in _COLUMNS.items():
            getattr(self, name)[pages] = np.asarray(columns[name]).astype(kind)
        for name, values in ChangeEvidence.from_columns(columns).columns().items():
            getattr(self.evidence, name)[pages] = values

    def memory_bytes(self) -> int:
        """Return the bytes of all arrays."""
        own = sum(getattr(self, name).nbytes for name in _COLUMNS)
        return int(own) + sum(column.nbytes for column in self.evidence.columns().values())
