"""Keeps what visits showed about how often pages change: sufficient statistics, in flat arrays by page number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

COLUMNS: Final[Mapping[str, type[np.generic]]] = {
    "changes": np.uint16,
    "mean_log": np.float16,
    "spread_log": np.float16,
    "dated_changes": np.uint16,
    "quiet": np.float32,
}
"""Names and types of the columns: 12 bytes per page."""

_MOST_CHANGES: Final = 60_000
"""A page with this many changes has all its statistics halved."""
_SHORTEST_INTERVAL: Final = 1.0
"""In seconds; shorter times between two visits count as this one."""


class ChangeEvidence:
    """The evidence about how often each page changes, as visits showed it; every update is O(1).

    A page changes at an unknown rate λ. A visit τ seconds after the previous one shows one of three things. The
    likelihood of each is:

      unchanged                        e^(-λτ)                 `quiet` += τ
      changed at an unknown time       1 - e^(-λτ)             `changes` += 1, and ln τ joins mean and spread
      changed last s seconds ago       ∝ λ e^(-λs)             `dated_changes` += 1, `quiet` += s

    Intervals in which a change came are kept as the number, mean and standard deviation of ln τ, rounded to about a
    hundredth. The likelihood is computed from two points at mean ± deviation, each with half the number of intervals.
    This is a Gauss quadrature over ln τ, in which the slope of the likelihood is a smooth step. The third case needs a
    Last-Modified that can be trusted, or a signal at the time of the change.
    """

    changes: NDArray[np.uint16]
    mean_log: NDArray[np.float16]
    spread_log: NDArray[np.float16]
    dated_changes: NDArray[np.uint16]
    quiet: NDArray[np.float32]

    def __init__(self, page_count: int = 0) -> None:
        """Start with no evidence about `page_count` pages."""
        for name, kind in COLUMNS.items():
            setattr(self, name, np.zeros(page_count, kind))

    def __len__(self) -> int:
        """Return how many pages there is room for."""
        return len(self.quiet)

    def grow(self, page_count: int) -> None:
        """Make room for `page_count` pages; there is no evidence about the new pages yet."""
        missing = max(page_count - len(self), 0)
        for name, column in self.columns().items():
            setattr(self, name, np.append(column, np.zeros(missing, column.dtype)))

    def unchanged(self, page: int, interval: float) -> None:
        """Record a visit that found the known version, `interval` seconds after the last visit."""
        self.quiet[page] += max(interval, 0.0)

    def changed(self, page: int, interval: float) -> None:
        """Record a visit that found a change at an unknown time within the last `interval` seconds."""
        self._forget_half_if_full(page)
        number = int(self.changes[page]) + 1
        length = log(max(interval, _SHORTEST_INTERVAL))
        mean, spread = float(self.mean_log[page]), float(self.spread_log[page])
        step = (length - mean) / number
        variance = spread * spread * (number - 1) / number + step * (length - mean - step)
        self.changes[page] = number
        self.mean_log[page] = mean + step
        self.spread_log[page] = sqrt(max(variance, 0.0))

    def changed_ago(self, page: int, ago: float) -> None:
        """Record a visit, perhaps the first, to a page that last changed `ago` seconds before."""
        self._forget_half_if_full(page)
        self.dated_changes[page] += 1
        self.quiet[page] += max(ago, 0.0)

    def moved(self, page: int, to: int) -> bool:
        """Move the evidence about a page to the page `to`, unless there is evidence about `to` already.

        Returns whether it was moved.
        """
        columns = self.columns().values()
        if any(column[to] for column in columns):
            return False
        for column in columns:
            column[to], column[page] = column[page], 0
        return True

    def of(self, pages: NDArray[np.int64] | slice) -> ChangeEvidence:
        """Return a copy of the evidence about some pages."""
        chosen = ChangeEvidence()
        for name in COLUMNS:
            setattr(chosen, name, getattr(self, name)[pages].copy())
        return chosen

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the columns themselves, not copies, by name and in the order of COLUMNS."""
        return {name: getattr(self, name) for name in COLUMNS}

    @classmethod
    def from_columns(cls, columns: Mapping[str, NDArray[np.generic]]) -> ChangeEvidence:
        """Return the evidence in `columns`, arrays of any numeric type.

        Raises ValueError if a column is missing, or if columns differ in length.
        """
        missing = COLUMNS.keys() - columns.keys()
        if missing:
            raise ValueError(f"missing columns: {', '.join(sorted(missing))}; given: {', '.join(sorted(columns))}")
        _same_lengths(columns[name] for name in COLUMNS)
        evidence = cls()
        for name, kind in COLUMNS.items():
            setattr(evidence, name, np.array(columns[name], kind))
        return evidence

    def _forget_half_if_full(self, page: int) -> None:
        if max(int(self.changes[page]), int(self.dated_changes[page])) >= _MOST_CHANGES:
            self.changes[page] //= 2
            self.dated_changes[page] //= 2
            self.quiet[page] /= 2


def _same_lengths(arrays: Iterable[NDArray[np.generic]]) -> None:
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise ValueError(f"the columns have different lengths: {sorted(lengths)}")
