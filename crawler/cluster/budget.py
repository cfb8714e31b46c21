"""Decides how many pages each shard may still fetch, so that all shards together keep the user's limit. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hinterland.crawler.features.exchange.shard_status import ShardStatus


class BudgetShares:
    """Each shard's share of the page budget. Mutable: it keeps the numbers of the last call of `grants`.

    The limit of a shard is the limit in its statistics, or the number of pages in its store if that is higher; the sum
    of the limits never exceeds the budget. A shard gets more if it has pages waiting and would use up its share before
    the next call. All such shards together get half of what is left, but each gets at least what it fetches between two
    calls, if that much is left. Without this minimum, the last pages would be given out in ever smaller steps. A shard
    gives back what it does not need.
    """

    def __init__(self, max_pages: int) -> None:
        """Start with no shares given; `max_pages` is the limit of HTML pages over all stores."""
        self.max_pages = max_pages
        self._fetched: dict[int, int] = {}
        """The number of pages fetched by each shard, as of the last call."""
        self._gave_back: dict[int, tuple[int, int]] = {}
        """For each shard that gave back its share, the numbers of pages that it had fetched and received by then. It
        gets no more until one of them changes, since its waiting pages are retries that are due much later."""

    def grants(self, statuses: Sequence[ShardStatus | None]) -> Mapping[int, int]:
        """Return the new limits of shards, in pages of their stores; empty if any shard does not answer."""
        if None in statuses:
            return {}  # the store of a shard that does not answer may hold any number of pages
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
        unused = [
            number for number, each in held.items() if each.pending_end is not None and limits[number] > fetched[number]
        ]
        self._gave_back |= {number: (fetched[number], held[number].received) for number in unused}
        return {number: fetched[number] for number in unused}


def _has_work(status: ShardStatus) -> bool:
    frontier = status.statistics.frontier
    return frontier.waiting > frontier.stranded
