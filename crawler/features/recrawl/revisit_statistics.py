"""The progress of a crawl that revisits pages, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FreshnessOutlook:
    """The freshness of a crawl with a budget, now and in the long run.

    `budget` is in visits per day; None means that only the hosts limit the visits. `freshness` is the expected share of
    pages, weighted by importance, whose copy is current now; `expected` is the share that this budget brings in the
    long run. `age` is the mean number of days since a copy was last current, in the long run. `oldest` is how many days
    ago the least recent visit to a page was.
    """

    budget: float | None
    pages: int
    freshness: float
    expected: float
    age: float
    oldest: float


@dataclass(frozen=True, slots=True)
class RevisitStatistics:
    """The revisits of a run.

    `looks` counts revisits by Finding, and under "new" the pages that were read for the first time. If each page is
    revisited once, `left` counts the pages still to be revisited; if pages are revisited repeatedly, `outlook` is set.
    """

    looks: Mapping[str, int]
    left: int
    outlook: FreshnessOutlook | None = None
