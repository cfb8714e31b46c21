"""The progress of a crawl: its counters, and the rates and the remaining time that follow from these. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from hinterland.crawler.features.outside.statistics import HinterlandStatistics, SamplingPhase
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics

_NO_ERRORS = frozenset({OutcomeKind.FETCHED, OutcomeKind.OTHER_TYPE, OutcomeKind.REDIRECTED, OutcomeKind.ROBOTS})
_WINDOW_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """The state of a crawl at one time.

    Rates are per second, over the last ten seconds. `remaining_seconds` is an estimate; None if it is unknown.
    """

    statistics: CrawlStatistics
    pages_per_second: float
    bytes_per_second: float
    remaining_seconds: float | None

    @property
    def pages_in_store(self) -> int:
        """The number of fetched pages in the store, all runs together."""
        return self.statistics.fetched_before + self.statistics.pages_fetched

    @property
    def under_way(self) -> int:
        """The number of visits that have begun and are not yet in the store: requests, and pages being parsed."""
        return self.statistics.frontier.in_flight + self.statistics.parser_backlog

    @property
    def errors(self) -> dict[str, int]:
        """The number of lost pages by kind, and the number of failures of whole hosts; the most frequent first."""
        found = {kind: count for kind, count in self.statistics.outcomes.items() if kind not in _NO_ERRORS and count}
        for kind, count in self.statistics.host_failures.items():
            found[kind] = found.get(kind, 0) + count
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    @property
    def estimate(self) -> str:
        """What `remaining_seconds` refers to, in words: "of the budget" or "for the pages waiting now"."""
        hinterland = self.statistics.of(HinterlandStatistics)
        is_outside = hinterland is not None and hinterland.phase == SamplingPhase.HINTERLAND
        return "of the budget" if self.statistics.max_pages is not None or is_outside else "for the pages waiting now"

    def as_json(self) -> dict[str, Any]:
        """Return the progress as JSON values."""
        return {
            "pages_in_store": self.pages_in_store,
            "pages_per_second_now": round(self.pages_per_second, 2),
            "pages_per_second": round(self.statistics.pages_per_second, 2),
            "bytes_per_second_now": round(self.bytes_per_second),
            "estimated_seconds_left": (None if self.remaining_seconds is None else round(self.remaining_seconds, 1)),
            "under_way": self.under_way,
            **self.statistics.as_json(),
        }


class RateMeter:
    """Computes rates from the counters of recent seconds. Mutable."""

    def __init__(self, window_seconds: float = _WINDOW_SECONDS) -> None:
        """Start without counters; rates are averages over `window_seconds`."""
        self._window_seconds = window_seconds
        self._samples: deque[CrawlStatistics] = deque()

    def progress(self, statistics: CrawlStatistics) -> CrawlProgress:
        """Return the progress with the current rates. Call it with the statistics of one run, in order of time."""
        samples = self._samples
        samples.append(statistics)
        while len(samples) > 2 and samples[1].seconds <= statistics.seconds - self._window_seconds:
            samples.popleft()
        first = samples[0]
        seconds = statistics.seconds - first.seconds
        if seconds <= 0:
            pages, visits, size, seconds = (
                statistics.pages_fetched, statistics.visits, statistics.wire_bytes, statistics.seconds,
            )  # fmt: skip
        else:
            pages = statistics.pages_fetched - first.pages_fetched
            visits = statistics.visits - first.visits
            size = statistics.wire_bytes - first.wire_bytes
        seconds = max(seconds, 1e-9)
        return CrawlProgress(
            statistics,
            pages_per_second=pages / seconds,
            bytes_per_second=size / seconds,
            remaining_seconds=_remaining(statistics, pages / seconds, visits / seconds),
        )


def _remaining(statistics: CrawlStatistics, pages_rate: float, visits_rate: float) -> float | None:
    """Return the seconds until the budget is used up or, without a budget, until no page is waiting."""
    frontier = statistics.frontier
    if statistics.max_pages is not None:
        left = statistics.max_pages - statistics.fetched_before - statistics.pages_fetched
        return max(left, 0) / pages_rate if pages_rate > 0 else None
    hinterland = statistics.of(HinterlandStatistics)
    if hinterland is not None and hinterland.phase == SamplingPhase.HINTERLAND:
        return max(hinterland.budget - hinterland.pages_fetched, 0) / pages_rate if pages_rate > 0 else None
    left = frontier.waiting - frontier.stranded + frontier.in_flight
    return left / visits_rate if visits_rate > 0 else None
