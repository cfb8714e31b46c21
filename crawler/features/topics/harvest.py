"""Counts how much of what a focused crawl visits is relevant."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HarvestStatistics:
    """The progress of a crawl with a topic, over all runs.

    `visits` counts visits to pages, and to files if files are sought; `gains` is the sum of their relevance. `relevant`
    counts the visits with a relevance of at least one half, and `sites` the sites of the pages visited then.
    `visits_in_vain` counts the visits since the last of the relevant visits.
    """

    visits: int
    gains: float
    relevant: int
    sites: int
    visits_in_vain: int

    @property
    def rate(self) -> float:
        """The harvest rate (Chakrabarti, van den Berg & Dom 1999): the mean relevance of what was visited."""
        return self.gains / self.visits if self.visits else 0.0


class Harvest:
    """Counts visits and relevant visits. Mutable."""

    def __init__(self) -> None:
        """Start without visits."""
        self._visits = 0
        self._gains = 0.0
        self._relevant = 0
        self._last_gain = 0
        self._sites: set[str] = set()

    def count(self, relevance: float, site: str | None) -> None:
        """Count a visit. `site` is the site of a relevant page, None for other pages."""
        self._visits += 1
        self._gains += relevance
        if site is not None:
            self._relevant += 1
            self._last_gain = self._visits
            self._sites.add(site)

    def statistics(self) -> HarvestStatistics:
        """Return the counts so far."""
        in_vain = self._visits - self._last_gain
        return HarvestStatistics(self._visits, self._gains, self._relevant, len(self._sites), in_vain)
