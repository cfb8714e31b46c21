"""Ranks and their estimates as the store reports them. Plain values; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class EstimateReport:
    """One refresh of the estimate. The table `estimate` in the schema of the store explains the fields."""

    run: int
    visit: int
    local_pages: int
    outside_pages: int
    estimator: str
    change: float | None
    disagreement: float | None
    seconds: float
    created_at: float
    error: float | None = None
    error_at_most: float | None = None


@dataclass(frozen=True, slots=True)
class EstimateHead:
    """A refresh of the estimate, without its ranks. A stored refresh never changes."""

    number: int
    created_at: float
    local_pages: int
    outside_pages: int


@dataclass(frozen=True, slots=True)
class PageRanks:
    """The PageRank of a page by the links of its site and by the web.

    Each of the two rankings sums to 1 over `pages` local pages; places begin with 1. `spread`, `highest_place` and
    `lowest_place` are explained at the table `rank`; they are None if unknown.
    """

    estimator: str
    as_site_sees: float
    as_web_sees: float
    site_place: int
    web_place: int
    pages: int
    spread: float | None = None
    highest_place: int | None = None
    lowest_place: int | None = None

    @property
    def at_least(self) -> float | None:
        """The lower bound of the rank by the web, with a probability of 0.9; None if unknown."""
        return None if self.spread is None else self.as_web_sees / self.spread

    @property
    def at_most(self) -> float | None:
        """The upper bound of the rank by the web, with a probability of 0.9; None if unknown."""
        return None if self.spread is None else min(self.as_web_sees * self.spread, 1.0)

    @property
    def ratio(self) -> float:
        """The rank by the web, divided by the rank by the site."""
        return self.as_web_sees / self.as_site_sees


class StoredEstimate(NamedTuple):
    """A stored refresh of the estimate.

    `crawled_since` counts the pages whose links became known after it; `ranks` are packed.
    """

    crawled_since: int
    estimator: str
    ranks: bytes


@dataclass(frozen=True, slots=True)
class ComparedRank:
    """The PageRank of a page in both rankings, as multiples of the average."""

    page: int
    as_site_sees: float
    as_web_sees: float


@dataclass(frozen=True, slots=True)
class RankComparison:
    """A comparison of the ranks of pages by the web with their ranks by the site.

    `pages` is the number of compared pages, and `drawn` a random sample of them. `raised` and `lowered` are the pages
    that the web ranks furthest above or below their rank by the site, if the difference is at least a tenth. They are
    chosen among the pages with at least average rank in one of the rankings.
    """

    estimator: str
    pages: int
    drawn: Sequence[ComparedRank]
    raised: Sequence[ComparedRank]
    lowered: Sequence[ComparedRank]
