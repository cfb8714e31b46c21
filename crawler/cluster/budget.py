"""How many pages each shard may still fetch, so that all of them together fetch as many as the user allows. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hinterland.crawler.features.exchange.shard_status import ShardStatus


class BudgetShares:
    """Mutable: what was seen at the last look.

    The store of a shard may hold as many pages as its statistics say, or as it holds already; the sum never exceeds the
    budget. Whoever has pages that wait, and would have used up its share before it is asked again, gets more: half of
    what is left in all, shared among those who ask, but no less of it than each fetches from one look to the next, or
    the end would come in ever smaller steps. What a shard does not need goes back.
    """

    def __init__(self, max_pages: int) -> None:
        self.max_pages = max_pages
        self._fetched: dict[int, int] = {}
        """By the last look."""
        self._gave_back: dict[int, tuple[int, int]] = {}
        """What had been fetched and received by those that could not use their share: the pages that wait there are to
        be tried much later."""

    def grants(self, statuses: Sequence[ShardStatus | None]) -> Mapping[int, int]:
        """New limits, to be told to the shards."""
        if None in statuses:
            return {}  # the store of one that does not answer may hold nobody knows how many
        held = {number: each for number, each in enumerate(statuses) if each is not None}
        fetched = {
            number: each.statistics.fetched_before + each.statistics.pages_fetched for number, each in held.items()
        }
        limits = {number: max(each.statistics.max_pages or 0, fetched[number]) for number, each in held.items()}
        paces = {number: count - self._fetched.get(number, count) for number, count in fetched.items()}
        self._fetched = fetched
        asking = [
            number
            for number, each in held.items()
            if limits[number] - fetched[number] - each.statistics.frontier.in_flight <= paces[number]
            and _has_work(each)
            and self._gave_back.get(number) != (fetched[number], each.received)
        ]
        if not asking:
            return {}
        left = self.max_pages - sum(limits.values())
        if left > 0:
            fair = left // len(asking)
            half = fair // 2 if len(held) > 1 else fair
            return {number: limits[number] + max(1, half, min(paces[number], fair)) for number in asking[:left]}
        unused = [number for number, each in held.items() if each.wish is not None and limits[number] > fetched[number]]
        self._gave_back |= {number: (fetched[number], held[number].received) for number in unused}
        return {number: fetched[number] for number in unused}


def _has_work(status: ShardStatus) -> bool:
    frontier = status.statistics.frontier
    return frontier.waiting > frontier.stranded
