"""How long a shard may be silent before it is ended and restarted. Pure."""

from __future__ import annotations

from typing import Final

SILENCE_SECONDS: Final = 30.0
"""The limit for a shard that has answered before. Its process may be suspended (SIGSTOP), or its machine may hang."""
START_SECONDS: Final = 120.0
"""The limit for a shard that has not answered yet. It must import the whole program, perhaps on a busy machine."""
_WELL_SECONDS: Final = 60.0
_MOST_DOUBLINGS: Final = 6


class SilenceLimit:
    """The silence allowed to one shard, over all its restarts. Mutable.

    Silence is counted from the first request without an answer, because the process that sends the requests may have
    been suspended itself. Each time the shard is ended for its silence, its limits double, so that a slow shard is not
    ended again and again. Once a shard has answered for a minute, the original limits apply again.
    """

    def __init__(self, silence_seconds: float = SILENCE_SECONDS, start_seconds: float = START_SECONDS) -> None:
        """Start with the limits, in seconds.

        `silence_seconds` is the limit for a shard that has answered, and `start_seconds` for a shard that has not
        answered yet.
        """
        self._limits: Final = {True: silence_seconds, False: start_seconds}
        self._silent_since: float | None = None
        self._answered_since: float | None = None
        self._doublings = 0

    @property
    def has_answered(self) -> bool:
        """Whether the shard has answered since it was started."""
        return self._answered_since is not None

    @property
    def seconds(self) -> float:
        """The number of seconds that the shard may be silent now."""
        return float(self._limits[self.has_answered] * 2**self._doublings)

    def silence(self, now: float) -> float:
        """Return for how many seconds the shard has been silent; call this when it has failed to answer."""
        if self._silent_since is None:
            self._silent_since = now
        return now - self._silent_since

    def answered(self, now: float) -> None:
        """Note that the shard has just answered."""
        self._silent_since = None
        if self._answered_since is None:
            self._answered_since = now
        elif now - self._answered_since >= _WELL_SECONDS:
            self._doublings = 0

    def started(self) -> None:
        """Note that the shard is started or restarted."""
        self._silent_since = self._answered_since = None

    def prolong(self) -> None:
        """Double the limits from now on."""
        self._doublings = min(self._doublings + 1, _MOST_DOUBLINGS)

    def ended(self) -> None:
        """Note that the shard has been ended for its silence."""
        self.prolong()
        self.started()
