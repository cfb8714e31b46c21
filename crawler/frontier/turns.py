"""When each of several crawls may ask an IP address for something that all of them may ask. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_LEAST_GRACE: Final = 0.02  # seconds
_GRACE: Final = 0.2  # share of the delay


@dataclass(frozen=True, slots=True)
class Turns:
    """Time is cut in turns, which crawls have one after the other: this is crawl `number` of `of`. A request may begin
    in the first moments of a turn, and the rest of it is the delay that the address is owed. So two requests keep it
    without a word between the crawls, as long as their clocks agree on these moments."""

    number: int
    of: int

    def next_begin(self, now: float, delay: float) -> float:
        """When the turn began in whose first moments `now` lies, or else when the next one will."""
        grace = max(_GRACE * delay, _LEAST_GRACE)
        turn = delay + grace
        offset, period = self.number * turn, self.of * turn
        begin = offset + (now - offset) // period * period
        return begin if now <= begin + grace else begin + period
