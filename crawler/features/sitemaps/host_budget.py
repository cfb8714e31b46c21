"""How many sitemaps of a host may be asked: so few that they are next to nothing beside the visits to its pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hinterland.storage.values.times import DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """at_once: as many may be asked if none was for long. daily: how many more there are each day. pages_for_one: how
    many visits to pages allow one more.
    """

    at_once: float = 100.0
    daily: float = 24.0
    pages_for_one: int = 200


DEFAULT_BUDGET: Final = BudgetLimits()


class HostBudget:
    """Mutable. In any time it allows at_once + daily · days + visits / pages_for_one, and no more."""

    def __init__(self, limits: BudgetLimits) -> None:
        self._limits = limits
        self._left = limits.at_once
        self._at: float | None = None

    def wait(self, now: float) -> float:
        """Seconds until one may be asked."""
        limits = self._limits
        if self._at is not None:
            self._add(max(now - self._at, 0.0) * limits.daily / DAY)
        self._at = now
        return max(1.0 - self._left, 0.0) * DAY / limits.daily

    def spend(self) -> None:
        self._left -= 1.0

    def page_visited(self) -> None:
        self._add(1.0 / self._limits.pages_for_one)

    def _add(self, allowed: float) -> None:
        self._left = min(self._left + allowed, self._limits.at_once)
