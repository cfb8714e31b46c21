"""Which shards visit which IP addresses. Pure.

A shard that finds an address asks, and visits nobody there before it is answered:

    nobody has it ──► alone ──► another asks: whoever has it is told to take turns, and says so ──► after the delay
                                of the address, the other is told to take turns, too

An address that is shared once remains so. So a shard that has an address to itself asks it as one crawl would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_MARGIN_SECONDS: Final = 0.1


@dataclass(slots=True)
class AddressNotice:
    """For one shard: addresses that are its own, and that it is to share."""

    alone: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)


class AddressBook:
    """Mutable. delay: `politeness.address_delay_seconds`. Times: of any clock that does not go back, seconds."""

    def __init__(self, delay: float) -> None:
        self._wait = delay + _MARGIN_SECONDS
        self._owners: dict[str, int] = {}
        """Of those that one shard has."""
        self._shared_from: dict[str, float] = {}
        """When others may visit those that are shared."""

    def asked(self, asked: Mapping[int, Sequence[str]], now: float) -> dict[int, AddressNotice]:
        """What to tell shards that ask for addresses, or that have what others ask for."""
        notice: dict[int, AddressNotice] = {}
        for shard, names in asked.items():
            for name in names:
                if (begin := self._shared_from.get(name)) is not None:
                    if begin <= now:
                        notice.setdefault(shard, AddressNotice()).shared.append(name)
                    continue
                owner = self._owners.setdefault(name, shard)
                told = notice.setdefault(owner, AddressNotice())
                if owner == shard:
                    told.alone.append(name)
                elif name not in told.shared:
                    told.shared.append(name)
        return notice

    def told(self, shard: int, notice: AddressNotice, now: float) -> None:
        """A shard has said that it does as it was told."""
        for name in notice.shared:
            if self._owners.pop(name, None) is not None:
                self._shared_from[name] = now + self._wait

    def ended(self, shard: int, now: float) -> None:
        """A shard will visit nobody any more."""
        self.told(shard, AddressNotice(shared=[name for name, owner in self._owners.items() if owner == shard]), now)
