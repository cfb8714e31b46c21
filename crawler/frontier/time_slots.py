"""When each of several crawls may ask an IP address for something that all of them may ask. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final

_LEAST_GRACE: Final = 0.02  # seconds
_GRACE: Final = 0.2  # share of the delay


@dataclass(frozen=True, slots=True)
class TimeSlots:
    """Time is cut in turns, which crawls have one after the other: this is crawl `number` of `of`. A request may begin
    in the first moments of a turn, and the rest of it is the delay that the address is owed. So two requests keep it
    without a word between the crawls, as long as their clocks agree on these moments.

    shift: of all turns, as a share of a round of them. Each address has its own, or else a crawl could begin no request
    anywhere but in the first moments of its turns.
    """

    number: int
    of: int
    shift: float = 0.0

    def at(self, address: str) -> TimeSlots:
        """Those at one address, "192.0.2.1": the same shift in all crawls."""
        drawn = int.from_bytes(blake2b(address.encode(), digest_size=4).digest(), "big")
        return replace(self, shift=drawn / 2**32)

    def next_begin(self, now: float, delay: float) -> float:
        """When the turn began in whose first moments `now` lies, or else when the next one will."""
        grace = max(_GRACE * delay, _LEAST_GRACE)
        turn = delay + grace
        offset, period = (self.number + self.shift * self.of) * turn, self.of * turn
        begin = offset + (now - offset) // period * period
        return begin if now <= begin + grace else begin + period
