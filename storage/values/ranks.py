"""Ranks and their estimates as the store tells of them. Plain values, no behaviour; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class EstimateReport:
    """One refresh of the estimate; see the columns of its table in storage/migrations."""

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
    """A refresh of the estimate without its ranks: once written it stays as it is."""

    number: int
    created_at: float
    local_pages: int
    outside_pages: int


@dataclass(frozen=True, slots=True)
class PageRanks:
    """PageRank of a page, each ranking summing to 1 over `pages` local pages; places from 1. spread, highest_place,
    lowest_place: see the table rank; None where they are not known.
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
        """What the web gives it at least, nine times in ten; None where nobody knows."""
        return None if self.spread is None else self.as_web_sees / self.spread

    @property
    def at_most(self) -> float | None:
        return None if self.spread is None else min(self.as_web_sees * self.spread, 1.0)

    @property
    def ratio(self) -> float:
        return self.as_web_sees / self.as_site_sees


class StoredEstimate(NamedTuple):
    """A refresh of the estimate as read back. crawled_since: how many pages' links became known after it."""

    crawled_since: int
    estimator: str
    ranks: bytes


@dataclass(frozen=True, slots=True)
class ComparedRank:
    """PageRank of a page by both rankings, in multiples of the average page's."""

    page: int
    as_site_sees: float
    as_web_sees: float


@dataclass(frozen=True, slots=True)
class RankComparison:
    """drawn: some pages, by lot; raised, lowered: of those that weigh as much as the average with one of the rankings,
    those that the web ranks most above and below what their site makes of them, by a tenth or more. pages: how many
    are compared.
    """

    estimator: str
    pages: int
    drawn: Sequence[ComparedRank]
    raised: Sequence[ComparedRank]
    lowered: Sequence[ComparedRank]
