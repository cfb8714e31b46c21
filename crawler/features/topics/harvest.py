"""How much of what a crawl with a topic visits is about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HarvestStatistics:
    """How a crawl with a topic gets on, all runs together. visits: to pages, and to files if files are sought; gains:
    their relevance together; relevant: how many are likelier about the topic than not, on so many sites;
    visits_in_vain: since the last one of these.
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
    """Mutable: counts visits."""

    def __init__(self) -> None:
        self._visits = 0
        self._gains = 0.0
        self._relevant = 0
        self._last_gain = 0
        self._sites: set[str] = set()

    def count(self, relevance: float, site: str | None) -> None:
        """A visit. site: of a page that is likelier about the topic than not, None for others."""
        self._visits += 1
        self._gains += relevance
        if site is not None:
            self._relevant += 1
            self._last_gain = self._visits
            self._sites.add(site)

    def statistics(self) -> HarvestStatistics:
        in_vain = self._visits - self._last_gain
        return HarvestStatistics(self._visits, self._gains, self._relevant, len(self._sites), in_vain)
