"""Decides which address family, IPv4 or IPv6, to try last because its connections keep failing here. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

_LOSSES: Final = 3
_AVOIDED_SECONDS: Final = 300.0


class HasFamily(Protocol):
    """An address with its family."""

    @property
    def family(self) -> int:
        """The family: socket.AF_INET or socket.AF_INET6."""


Each = TypeVar("Each", bound=HasFamily)


class FamilyPreference:
    """The preference between address families.

    If a family loses against the other one at three hosts in a row, without winning in between, it is tried last for
    five minutes. After that it is tried as usual again; if it loses even once, it is tried last for another five
    minutes. Once it wins, it is no longer avoided.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        """Start without a preference; `now` returns seconds."""
        self._now = now
        self._losses: dict[int, int] = {}
        self._lost_at: dict[int, str] = {}
        self._avoided_until: dict[int, float] = {}

    def won(self, family: int) -> None:
        """Note that a connection to an address of this family succeeded."""
        self._losses.pop(family, None)
        self._lost_at.pop(family, None)
        self._avoided_until.pop(family, None)

    def lost(self, family: int, host: str) -> None:
        """Note that this family was tried first at a host, but the connection was made by the other family."""
        if self._lost_at.get(family) == host:
            return  # repeated losses at one host may be due to its wrong addresses
        self._lost_at[family] = host
        self._losses[family] = self._losses.get(family, 0) + 1
        if self._losses[family] >= _LOSSES:
            self._avoided_until[family] = self._now() + _AVOIDED_SECONDS
            self._losses[family] = _LOSSES - 1
            del self._lost_at[family]

    def is_avoided(self, family: int) -> bool:
        """Return whether this family should be tried last now."""
        return self._avoided_until.get(family, -1.0) > self._now()

    def in_order(self, addresses: Sequence[Each]) -> Sequence[Each]:
        """Return the addresses in the given order, except that addresses of an avoided family come last."""
        if not self._avoided_until or len(addresses) < 2:
            return addresses
        return sorted(addresses, key=lambda each: self.is_avoided(each.family))
