"""Limits the requests for a host's sitemaps, so that they are few compared with visits to its pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hinterland.storage.values.times import DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """Limits of the requests for sitemaps of one host.

    After a long time without requests, `at_once` requests may be made in a row. Each day, `daily` further requests are
    allowed, and one for every `pages_for_one` visits to pages.
    """

    at_once: float = 100.0
    daily: float = 24.0
    pages_for_one: int = 200


DEFAULT_BUDGET: Final = BudgetLimits()


class HostBudget:
    """A budget of at_once + daily · days + visits / pages_for_one requests in any period. Mutable."""

    def __init__(self, limits: BudgetLimits) -> None:
        """Start with `at_once` requests available."""
        self._limits = limits
        self._left = limits.at_once
        self._at: float | None = None

    def wait(self, now: float) -> float:
        """Return the seconds until a request is allowed."""
        limits = self._limits
        if self._at is not None:
            self._add(max(now - self._at, 0.0) * limits.daily / DAY)
        self._at = now
        return max(1.0 - self._left, 0.0) * DAY / limits.daily

    def spend(self) -> None:
        """Count a request for a sitemap."""
        self._left -= 1.0

    def page_visited(self) -> None:
        """Count a visit to a page."""
        self._add(1.0 / self._limits.pages_for_one)

    def _add(self, allowed: float) -> None:
        self._left = min(self._left + allowed, self._limits.at_once)
