"""When the pages of a site changed: a complete trace, to replay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.storage.values.times import DAY


@dataclass(frozen=True, eq=False, slots=True)
class ChangeHistory:
    """pages[i] changed at times[i], seconds from the beginning, ascending; shape (k,) each. All pages, page_count of
    them, are there from the beginning, and the history ends after `seconds`."""

    pages: IntArray
    times: FloatArray
    page_count: int
    seconds: float

    @classmethod
    def of_days(cls, pages: NDArray[np.integer], days: NDArray[np.integer], page_count: int) -> ChangeHistory:
        """A page changed in the middle of the days named; day 0 is the first, the greatest the last."""
        order = np.lexsort((pages, days))
        times = (days[order].astype(np.float64) + 0.5) * DAY
        return cls(pages[order].astype(np.int32), times, page_count, (int(days.max(initial=0)) + 1) * DAY)

    @property
    def rates(self) -> FloatArray:
        """Changes a second of each page, half a change added where there was none; shape (page_count,)."""
        counts = np.bincount(self.pages, minlength=self.page_count)
        return np.asarray(np.maximum(counts, 0.5) / self.seconds, np.float64)

    @property
    def mean_rate(self) -> float:
        """Changes a second of all pages together."""
        return len(self.pages) / self.seconds
