"""Ranks and their estimates as the store reports them. Plain values; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class EstimateReport:
    """One refresh of the estimate; for the fields see its table in storage/migrations."""

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
    """A refresh of the estimate without its ranks; it never changes once written."""

    number: int
    created_at: float
    local_pages: int
    outside_pages: int


@dataclass(frozen=True, slots=True)
class PageRanks:
    """The PageRank of a page in two rankings.

    Each ranking sums to 1 over `pages` local pages; places begin with 1. For `spread`, `highest_place` and
    `lowest_place` see the table rank; they are None if unknown.
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
        """The lower bound of the web's rank, with a probability of 0.9; None if unknown."""
        return None if self.spread is None else self.as_web_sees / self.spread

    @property
    def at_most(self) -> float | None:
        """The upper bound of the web's rank, with a probability of 0.9; None if unknown."""
        return None if self.spread is None else min(self.as_web_sees * self.spread, 1.0)

    @property
    def ratio(self) -> float:
        """The web's rank divided by the site's."""
        return self.as_web_sees / self.as_site_sees


class StoredEstimate(NamedTuple):
    """A stored refresh of the estimate; `crawled_since` counts the pages whose links became known after it."""

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
    """How the web ranks pages compared with their site.

    `drawn` is a random sample. `raised` and `lowered` are the pages that the web ranks furthest above or below their
    rank by the site, if the difference is a tenth or more. Only pages of at least average rank in one ranking count.
    `pages` is the number of compared pages.
    """

    estimator: str
    pages: int
    drawn: Sequence[ComparedRank]
    raised: Sequence[ComparedRank]
    lowered: Sequence[ComparedRank]
