"""How far a crawl that revisits its pages has come. Values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FreshnessOutlook:
    """The outlook of a crawl with a budget.

    `budget` is in visits per day, None for as many as hosts allow. `freshness` is the share of the importance of all
    pages whose copy is probably current now; `expected` is the share that this budget brings in the long run. `age` is
    how many days ago the copy of the mean page was last true. `oldest` is how many days ago the page with the oldest
    visit was visited.
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

    `looks` counts them by Finding, and as "new" the pages first read. `left` counts the pages still to be revisited, if
    each is revisited once; `outlook` is set if they are revisited repeatedly.
    """

    looks: Mapping[str, int]
    left: int
    outlook: FreshnessOutlook | None = None
