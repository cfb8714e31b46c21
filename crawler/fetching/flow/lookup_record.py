"""Records the results and durations of name lookups. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import IntEnum
from statistics import median
from typing import Final

_LAST: Final = 20
_OLD: Final = 60.0  # seconds: older lookups say nothing of now


class LookupAnswer(IntEnum):
    """The result of a lookup."""

    FOUND = 1
    DEAD = 2  # the name does not exist, or has no address
    FAILED = 3  # the name server says that it cannot find out
    SILENT = 4  # the name server did not reply


@dataclass(frozen=True, slots=True)
class LookupsNow:
    """A summary of the lookups at one moment.

    `seconds` is how long a lookup takes, judging by recent lookups that found a name and by lookups in flight; None if
    there are none. Of the `last` most recent lookups, `failed` were answered by a name server with a failure, and
    `silent` got no reply. `found`, `dead` and `unanswered` count host names by the result of their last lookup.
    """

    seconds: float | None = None
    failed: int = 0
    silent: int = 0
    last: int = 0
    found: int = 0
    dead: int = 0
    unanswered: int = 0


class LookupRecord:
    """A record of lookups. Mutable; hosts are numbers, times are seconds of a single clock that never goes back."""

    def __init__(self) -> None:
        """Start without lookups."""
        self._begun: dict[int, float] = {}
        self._last: deque[tuple[float, float, LookupAnswer]] = deque(maxlen=_LAST)
        self._answers = bytearray()
        """The LookupAnswer of each host's last lookup; 0 for none."""
        self._counts = [0] * (max(LookupAnswer) + 1)

    def begins(self, host: int, now: float) -> None:
        """Note that the lookup of a host's name begins."""
        self._begun[host] = now

    def ends(self, host: int, answer: LookupAnswer | None, now: float) -> None:
        """Note that the lookup for a host has ended; `answer` is None if no lookup was needed after all."""
        seconds = now - self._begun.pop(host, now)
        if answer is None:
            return
        self._last.append((now, seconds, answer))
        if host >= len(self._answers):
            self._answers.extend(bytes(host + 1 - len(self._answers)))
        self._counts[self._answers[host]] -= 1
        self._counts[answer] += 1
        self._answers[host] = answer

    def _may_be_found(self, host: int) -> bool:
        """Return whether the host's name was found by its last lookup, or was not looked up before.

        The lookup of a name that failed before says little about the usual duration.
        """
        return host >= len(self._answers) or self._answers[host] in (0, LookupAnswer.FOUND)

    def at(self, now: float) -> LookupsNow:
        """Return a summary of the recent lookups at the time `now`."""
        last = [(seconds, answer) for at, seconds, answer in self._last if now - at <= _OLD]
        found = [seconds for seconds, answer in last if answer is LookupAnswer.FOUND]
        waiting = [now - begun for host, begun in self._begun.items() if self._may_be_found(host)]
        taken = [median(each) for each in (found, waiting) if each]
        counts = self._counts
        return LookupsNow(
            seconds=round(max(taken), 4) if taken else None,
            failed=sum(answer is LookupAnswer.FAILED for _, answer in last),
            silent=sum(answer is LookupAnswer.SILENT for _, answer in last),
            last=len(last),
            found=counts[LookupAnswer.FOUND],
            dead=counts[LookupAnswer.DEAD],
            unanswered=counts[LookupAnswer.FAILED] + counts[LookupAnswer.SILENT],
        )
