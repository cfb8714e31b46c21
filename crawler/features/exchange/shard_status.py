"""The status of the shards of a crawl, and whether all of them are done. Pure.

An idle shard may still receive pages from another, so the crawl is not over as soon as every shard is idle. All shards
are asked twice in a row. If every shard was idle both times and neither handed over nor received a page in between, no
page was in transit either, since a page counts as unsent until it has been received (Mattern, "Algorithms for
distributed termination detection", Distributed Computing 2, 1987: four counters).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics


@dataclass(frozen=True, slots=True)
class ShardStatus:
    """The status of one shard.

    `epoch` counts the starts of the shard. `pending_end` is the reason for which it would end if it received nothing
    more from other shards, None while it is busy. `handed_over` and `received` count pages since it started; `unsent`
    counts pages handed over that have not reached their shards yet. `addresses` holds the IP addresses for which it
    waits to learn whether other shards use them, see `Frontier.addresses_told`.
    """

    epoch: int
    pending_end: EndReason | None
    handed_over: int
    received: int
    unsent: int
    statistics: CrawlStatistics
    addresses: Sequence[str] = ()

    @property
    def is_quiet(self) -> bool:
        """Whether the shard has nothing to visit and nothing to send."""
        return self.pending_end is not None and not self.unsent


class TerminationDetector:
    """Detects when all shards are done. Mutable: it remembers the counters of the last round."""

    def __init__(self) -> None:
        """Start before the first round."""
        self._last: list[tuple[int, int, int]] | None = None

    def is_over(self, statuses: Sequence[ShardStatus | None]) -> bool:
        """Return whether all shards are done.

        The shards must have been asked for `statuses` after the previous call returned; None stands for a shard that
        did not answer.
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
