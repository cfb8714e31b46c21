"""Decides which shards visit which IP addresses. Pure.

A shard that discovers an address asks for it, and visits no host there before it has an answer:

- The first shard that asks owns the address, and visits it as in a crawl without shards.
- When another shard asks, the owner gets a notice, from then on visits the address only when it is its turn, and
  confirms the notice.
- After the delay of the address, the other shard visits it in its turn, too.

An address that has been shared once remains shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_MARGIN_SECONDS: Final = 0.1


@dataclass(slots=True)
class AddressNotice:
    """A notice for one shard: the addresses that it visits alone, and the addresses that it must share."""

    alone: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)


class AddressBook:
    """The owners of IP addresses. Mutable; times are seconds of a clock that never goes back."""

    def __init__(self, delay: float) -> None:
        """Start without owners; `delay` is `politeness.address_delay_seconds`."""
        self._wait = delay + _MARGIN_SECONDS
        self._owners: dict[str, int] = {}
        """The shard of each address that only one shard visits."""
        self._shared_from: dict[str, float] = {}
        """The time from which other shards may visit each shared address."""

    def asked(self, asked: Mapping[int, Sequence[str]], now: float) -> dict[int, AddressNotice]:
        """Answer the requests of each shard; return the notices to send, also to owners that must share."""
        notices: dict[int, AddressNotice] = {}
        for shard, names in asked.items():
            for name in names:
                if (begin := self._shared_from.get(name)) is not None:
                    if begin <= now:
                        notices.setdefault(shard, AddressNotice()).shared.append(name)
                    continue
                owner = self._owners.setdefault(name, shard)
                told = notices.setdefault(owner, AddressNotice())
                if owner == shard:
                    told.alone.append(name)
                elif name not in told.shared:
                    told.shared.append(name)
        return notices

    def confirmed(self, shard: int, notice: AddressNotice, now: float) -> None:
        """Note that a shard has confirmed a notice."""
        for name in notice.shared:
            if self._owners.pop(name, None) is not None:
                self._shared_from[name] = now + self._wait

    def ended(self, shard: int, now: float) -> None:
        """Note that a shard will visit no more addresses."""
        self.confirmed(
            shard, AddressNotice(shared=[name for name, owner in self._owners.items() if owner == shard]), now
        )
