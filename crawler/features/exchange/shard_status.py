"""How the shards of a crawl stand, and whether all of them are done. Pure.

A shard that has nothing to do may get something from another, so that each is idle does not mean that all are. They
are asked twice, one after the other: if everyone was idle both times and has neither handed over nor received anything
in between, nothing was under way between them either, since what is handed over counts as unsent until it has been
received (Mattern, "Algorithms for distributed termination detection", Distributed Computing 2, 1987: four counters).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics


@dataclass(frozen=True, slots=True)
class ShardStatus:
    """epoch: counts the starts of the shard. wish: why it would end, if nothing came from others; None while it has
    something to do. handed_over, received: pages, since it started; unsent: of the first those that their shards do not
    have yet. addresses: that it waits to be told of, see `Frontier.addresses_told`.
    """

    epoch: int
    wish: EndReason | None
    handed_over: int
    received: int
    unsent: int
    statistics: CrawlStatistics
    addresses: Sequence[str] = ()

    @property
    def is_quiet(self) -> bool:
        return self.wish is not None and not self.unsent


class TerminationDetector:
    """Looks for the end. Mutable: what was seen the last time."""

    def __init__(self) -> None:
        self._last: list[tuple[int, int, int]] | None = None

    def is_over(self, statuses: Sequence[ShardStatus | None]) -> bool:
        """Whether all shards are done, as each says when it is asked after the last call has returned; None: one that
        does not answer.
        """
        seen: list[tuple[int, int, int]] = []
        for each in statuses:
            if each is None or not each.is_quiet:
                self._last = None
                return False
            seen.append((each.epoch, each.handed_over, each.received))
        is_over = seen == self._last
        self._last = seen
        return is_over
