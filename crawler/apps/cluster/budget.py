"""How many pages each shard may still fetch, so that all of them together fetch as many as the user allows. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crawler.decisions.standing import Standing


class BudgetShares:
    """Mutable: how many pages the store of each shard may hold. The sum never exceeds the budget.

    A shard begins with what its store has. Whoever has used up its share and has pages that wait gets more, half of
    what is left in all, shared among those who ask; what a shard does not need goes back.
    """

    def __init__(self, max_pages: int) -> None:
        self.max_pages = max_pages
        self._limits: dict[int, int] = {}

    def grants(self, standings: Sequence[Standing | None]) -> Mapping[int, int]:
        """New limits, to be told to the shards; `granted` what these say to it."""
        if None in standings:
            return {}  # the store of one that does not answer may hold nobody knows how many
        held = {number: each for number, each in enumerate(standings) if each is not None}
        fetched = {
            number: each.statistics.fetched_before + each.statistics.pages_fetched for number, each in held.items()
        }
        limits = {number: max(self._limits.get(number, 0), count) for number, count in fetched.items()}
        asking = [number for number, each in held.items() if limits[number] <= fetched[number] and _has_work(each)]
        if not asking:
            return {}
        left = self.max_pages - sum(limits.values())
        if left > 0:
            share = max(1, left // (2 * len(asking)))
            return {number: limits[number] + share for number in asking[:left]}
        return {
            number: fetched[number]
            for number, each in held.items()
            if each.wish is not None and limits[number] > fetched[number]
        }

    def granted(self, number: int, limit: int) -> None:
        self._limits[number] = limit


def _has_work(standing: Standing) -> bool:
    frontier = standing.statistics.frontier
    return standing.wish is not None and frontier.waiting > frontier.stranded
