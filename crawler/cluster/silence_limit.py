"""How long a shard may be silent before it is ended and started again. Pure."""

from __future__ import annotations

from typing import Final

SILENCE_SECONDS: Final = 30.0
"""For one that has answered before: a process that was stopped (SIGSTOP), a machine that hangs."""
START_SECONDS: Final = 120.0
"""For one that has not: it imports all that a crawl needs, on a machine that may have other work."""
_WELL_SECONDS: Final = 60.0
_MOST_DOUBLINGS: Final = 6


class SilenceLimit:
    """With one shard, through all its starts. Mutable.

    Silence is counted from the first question that was not answered, so whoever asks may have been stopped meanwhile.
    Each time the shard is ended for its silence, the next start is given twice as long: what is slow is not ended again
    and again. Once a shard has answered for a minute, the first limits hold again.
    """

    def __init__(self, silence_seconds: float = SILENCE_SECONDS, start_seconds: float = START_SECONDS) -> None:
        self._limits: Final = {True: silence_seconds, False: start_seconds}
        self._silent_since: float | None = None
        self._answered_since: float | None = None
        self._doublings = 0

    @property
    def has_answered(self) -> bool:
        """Since it was started."""
        return self._answered_since is not None

    @property
    def seconds(self) -> float:
        """How long it may be silent now."""
        return float(self._limits[self.has_answered] * 2**self._doublings)

    def silence(self, now: float) -> float:
        """Seconds for which it has been silent, as it has not answered now either."""
        if self._silent_since is None:
            self._silent_since = now
        return now - self._silent_since

    def answered(self, now: float) -> None:
        """It has just answered."""
        self._silent_since = None
        if self._answered_since is None:
            self._answered_since = now
        elif now - self._answered_since >= _WELL_SECONDS:
            self._doublings = 0

    def started(self) -> None:
        """It is started, or started again."""
        self._silent_since = self._answered_since = None

    def prolong(self) -> None:
        """Give it twice as long, from now on."""
        self._doublings = min(self._doublings + 1, _MOST_DOUBLINGS)

    def ended(self) -> None:
        """It has been ended for its silence."""
        self.prolong()
        self.started()
