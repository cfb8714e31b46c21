"""How far a crawl is that looks at its pages again. Values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FreshnessOutlook:
    """Of a crawl with a budget. budget: visits a day, None for as many as hosts allow. freshness: the share of the
    importance of all pages whose copy is probably current now; expected: that this budget brings in the long run, and
    age, days since a copy was last true, of the mean page. oldest: days since the page was looked at that was not for
    the longest time.
    """

    budget: float | None
    pages: int
    freshness: float
    expected: float
    age: float
    oldest: float


@dataclass(frozen=True, slots=True)
class RevisitStatistics:
    """looks: how many there were in this run, by Finding, and "new" for pages first read; left: pages that are still to
    be looked at, if each is once; outlook: if they are again and again.
    """

    looks: Mapping[str, int]
    left: int
    outlook: FreshnessOutlook | None = None
