"""When each shard of a cluster crawl may visit an IP address that several shards visit. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final

_LEAST_GRACE: Final = 0.02  # seconds
_GRACE: Final = 0.2  # share of the delay


@dataclass(frozen=True, slots=True)
class TimeSlots:
    """The time slots of one shard, which has this `number` among `of` shards.

    Time is divided into slots, which belong to the shards in turn. A shard's request may begin only in the first
    moments of the shard's slots: a fifth of the delay, at least 20 ms. The rest of a slot is the delay between two
    requests to the address. So the delay is kept without communication between the shards, provided that their clocks
    differ by less than these first moments.

    `shift` moves all slots, by a fraction of the cycle in which every shard has one slot. Each address has its own
    shift; otherwise the slots of a shard would begin at the same time for all addresses.
    """

    number: int
    of: int
    shift: float = 0.0

    def at(self, address: str) -> TimeSlots:
        """Return the slots for one address, such as "192.0.2.1"; its shift is the same in all shards."""
        drawn = int.from_bytes(blake2b(address.encode(), digest_size=4).digest(), "big")
        return replace(self, shift=drawn / 2**32)

    def next_begin(self, now: float, delay: float) -> float:
        """Return when the slot begins in which a request may be made, in epoch seconds.

        It is the present slot if that is the shard's own and `now` is in its first moments; otherwise the shard's next.
        """
        grace = max(_GRACE * delay, _LEAST_GRACE)
        turn = delay + grace
        offset, period = (self.number + self.shift * self.of) * turn, self.of * turn
        begin = offset + (now - offset) // period * period
        return begin if now <= begin + grace else begin + period
