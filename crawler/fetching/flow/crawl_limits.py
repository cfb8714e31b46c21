"""Finds what bounds a crawl, over the last seconds and over its whole run. Pure."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from hinterland.crawler.fetching.flow.bounds import Bound, LoadSample, RequestCounts, bound_of
from hinterland.crawler.fetching.flow.lookup_record import LookupsNow
from hinterland.crawler.frontier.visits import FrontierCounts

T = TypeVar("T", FrontierCounts, RequestCounts)

_LAST: Final = 10
"""Number of samples that decide together, so that the answer is steady: five seconds at two samples a second."""
_COUNTS: Final = ("requests", "places", "max_visits", "lookups_under_way", "closed_before")


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """What bounds a crawl, and the figures from which this was derived.

    `bound` is what bounds the crawl now; `seconds` holds, for each bound, how long it has bound this run. `hosts`,
    `requests`, `phases` and `lookups_under_way` are from the last sample that showed `bound`, a few seconds old at
    most. `requests` is the number of requests in flight, and `places` is its limit; `phases` says what they were
    waiting for. `max_visits` is the maximum number of visits in progress. `queueing_seconds` is how long packets wait
    in the local link, None if unknown. `late_seconds` is how late the event loop is. `closed_before` counts the
    requests of this run that found their kept-alive connection just closed by the server.
    """

    bound: Bound
    hosts: FrontierCounts
    seconds: dict[str, float] = field(default_factory=dict)
    requests: int = 0
    places: int = 0
    max_visits: int = 0
    lookups_under_way: int = 0
    lookups: LookupsNow = field(default_factory=LookupsNow)
    phases: RequestCounts = field(default_factory=RequestCounts)
    queueing_seconds: float | None = None
    late_seconds: float = 0.0
    closed_before: int = 0

    @property
    def mostly(self) -> tuple[Bound, float] | None:
        """The bound that applied for the longest time in this run, and its share of the time; None if unknown."""
        whole = sum(self.seconds.values())
        if whole <= 0:
            return None
        name = max(self.seconds, key=lambda each: self.seconds[each])
        return Bound(name), self.seconds[name] / whole


class LimitWatch:
    """Derives what bounds a crawl from about two samples a second. Mutable."""

    def __init__(self) -> None:
        """Start without samples."""
        self._last: deque[tuple[Bound, LoadSample]] = deque(maxlen=_LAST)
        self._bound: Bound | None = None
        self._seconds: dict[Bound, float] = {}
        self._sample: LoadSample | None = None
        self._at = 0.0

    def sampled(self, sample: LoadSample, now: float) -> None:
        """Add a sample; `now` is in seconds of a clock that never goes back."""
        bound = bound_of(sample)
        if self._sample is not None:
            self._seconds[bound] = self._seconds.get(bound, 0.0) + max(now - self._at, 0.0)
        self._sample, self._at = sample, now
        if bound in (Bound.NETWORK_DOWN, Bound.NAME_SERVER):  # decided over several lookups or requests already
            self._last.clear()
        self._last.append((bound, sample))
        counts = Counter(each for each, _ in self._last)
        if self._bound is None or counts[self._bound] < max(counts.values()):
            self._bound = max(counts, key=lambda each: counts[each])

    def now(self, closed_before: int = 0) -> CrawlLimits | None:
        """Return what bounds the crawl now; None before the first sample. See CrawlLimits for `closed_before`."""
        now, bound = self._sample, self._bound
        if now is None or bound is None:
            return None
        sample = next(sample for each, sample in reversed(self._last) if each is bound)
        return CrawlLimits(
            bound,
            sample.hosts,
            {each.value: round(seconds, 1) for each, seconds in self._seconds.items()},
            requests=sample.requests,
            places=sample.places,
            max_visits=sample.max_visits,
            lookups_under_way=sample.lookups_under_way,
            lookups=now.lookups,
            phases=sample.phases,
            queueing_seconds=None if now.queueing_seconds is None else round(now.queueing_seconds, 4),
            late_seconds=round(now.late_seconds, 4),
            closed_before=closed_before,
        )


def summed(each: Sequence[CrawlLimits]) -> CrawlLimits | None:
    """Return the limits of several shards combined; None if there are none.

    `bound` is the bound of most shards. Counts are sums, and delays are the longest of any shard.
    """
    if not each:
        return None
    bounds = Counter(one.bound for one in each)
    seconds: dict[str, float] = {}
    for one in each:
        for name, passed in one.seconds.items():
            seconds[name] = seconds.get(name, 0.0) + passed
    queueing = [one.queueing_seconds for one in each if one.queueing_seconds is not None]
    return replace(
        CrawlLimits(max(bounds, key=lambda bound: bounds[bound]), _added([one.hosts for one in each]), seconds),
        **{name: sum(getattr(one, name) for one in each) for name in _COUNTS},
        lookups=_lookups([one.lookups for one in each]),
        phases=_added([one.phases for one in each]),
        queueing_seconds=max(queueing, default=None),
        late_seconds=max(one.late_seconds for one in each),
    )


def _added(each: Sequence[T]) -> T:
    """Return counts of several shards, added field by field."""
    kind = type(each[0])
    return kind(*(sum(getattr(one, name) for one in each) for name in kind.__slots__))


def _lookups(each: Sequence[LookupsNow]) -> LookupsNow:
    seconds = [one.seconds for one in each if one.seconds is not None]
    counts = {name: sum(getattr(one, name) for one in each) for name in LookupsNow.__slots__ if name != "seconds"}
    return LookupsNow(seconds=max(seconds, default=None), **counts)
