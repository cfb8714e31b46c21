"""Time limits for the steps of a request: the limits in the settings, or longer ones if the network is slow. Pure."""

from __future__ import annotations

from math import ceil, log2
from typing import Final

_BUCKETS_PER_DOUBLING: Final = 4
_SHORTEST: Final = 0.001  # seconds; all shorter durations count as this
_BUCKETS: Final = 4 * 24  # up to 16,000 s
_LEAST_COUNT: Final = 20.0
_HALF_LIFE_SECONDS: Final = 300.0
_QUANTILE: Final = 0.99
_MULTIPLE: Final = 3.0
CAP: Final = 3.0  # times the setting


class AdaptiveTimeout:
    """A time limit that adapts to slow networks.

    The limit is three times the duration within which 99 of 100 successful steps ended, but at least `setting` seconds
    and at most three times the setting. So a host is not given up just because the local line is slow. The durations
    are kept in a histogram whose counts halve every five minutes, so the limit returns to the setting when the network
    has recovered. Until there are twenty successes, the limit is the setting.
    """

    __slots__ = ("_counts", "_decayed_at", "_granted", "_setting", "_total")

    def __init__(self, setting: float) -> None:
        """Start with `setting` as the limit, in seconds."""
        self._setting = setting
        self._counts = [0.0] * _BUCKETS
        self._total = 0.0
        self._decayed_at: float | None = None
        self._granted = setting

    def succeeded(self, seconds: float, now: float) -> None:
        """Note that a step succeeded after this many seconds."""
        self._decay(now)
        self._counts[_bucket(seconds)] += 1.0
        self._total += 1.0

    def seconds(self, now: float) -> float:
        """Return the time limit for the next step of this kind."""
        if self._decayed_at is not None and now - self._decayed_at >= 1.0:
            self._decay(now)
            self._granted = self._grant()
        return self._granted

    def _decay(self, now: float) -> None:
        """Reduce the weight of old counts. This is done at most once a second, to save time."""
        if self._decayed_at is None:
            self._decayed_at = now - 1.0  # so that the first successes count at the next call
        elapsed = now - self._decayed_at
        if elapsed < 1.0:
            return
        self._decayed_at = now
        share = 0.5 ** (elapsed / _HALF_LIFE_SECONDS)
        self._counts = [count * share for count in self._counts]
        self._total = sum(self._counts)

    def _grant(self) -> float:
        if self._total < _LEAST_COUNT:
            return self._setting
        longest = _MULTIPLE * self._quantile()
        return max(self._setting, min(longest, CAP * self._setting))

    def _quantile(self) -> float:
        """Return the duration within which 99 of 100 successful steps ended, rounded up by at most a fifth."""
        above = self._total * (1.0 - _QUANTILE)
        for bucket in range(_BUCKETS - 1, 0, -1):
            above -= self._counts[bucket]
            if above < 0.0:
                return _upper_end(bucket)
        return _SHORTEST


def _bucket(seconds: float) -> int:
    if seconds <= _SHORTEST:
        return 0
    return min(ceil(log2(seconds / _SHORTEST) * _BUCKETS_PER_DOUBLING), _BUCKETS - 1)


def _upper_end(bucket: int) -> float:
    return _SHORTEST * float(2.0 ** (bucket / _BUCKETS_PER_DOUBLING))
