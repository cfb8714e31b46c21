"""Limits for all hosts at one IP address together: concurrent requests, and the pause between their starts. Pure.

An address is open if another request to it may begin now. If the next host's address is not open, the host is parked at
the address. When the address opens, the most urgent parked host returns to the heap of ready hosts.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf

from hinterland.crawler.frontier.hosts import Address, AddressUse, HostState, SharedAddress
from hinterland.crawler.frontier.ready_hosts import Key, KeyHeap, ReadyHosts
from hinterland.crawler.frontier.time_slots import TimeSlots
from hinterland.crawler.settings import PolitenessSettings


class Addresses:
    """The addresses of all hosts. Mutable. `now` is in epoch seconds."""

    def __init__(self, settings: PolitenessSettings, ready: ReadyHosts, time_slots: TimeSlots | None = None) -> None:
        """Begin without addresses. `time_slots` is given if other shards visit the same addresses."""
        self.unlimited = Address(0, inf, 0.0)
        """The address of hosts whose address is unknown here, or to which a proxy connects."""
        self._settings = settings
        self._time_slots = time_slots
        self._ready = ready
        self._all = [self.unlimited]
        self._numbers: dict[str, int] = {}
        self._shared: dict[str, SharedAddress] = {}
        self._asked: set[str] = set()
        self._resting: list[tuple[float, int]] = []

    def named(self, name: str | None) -> Address:
        """Return the address called `name`, such as "192.0.2.1"; for None, return an address without limits."""
        settings = self._settings
        if name is None or not (settings.address_connections or settings.address_delay_seconds):
            return self.unlimited
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._all)
            connections = settings.address_connections or inf
            delay, time_slots = settings.address_delay_seconds, self._time_slots
            if time_slots is None or not delay:
                self._all.append(Address(number, connections, delay))
            else:
                self._shared[name] = SharedAddress(number, connections, delay, time_slots.at(name))
                self._asked.add(name)
                self._all.append(self._shared[name])
        return self._all[number]

    def asked(self) -> list[str]:
        """Return the addresses for which it is still unknown whether other shards visit them."""
        return list(self._asked)

    def told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """Note which addresses only this shard visits (`alone`) and which are shared. A shared address stays shared."""
        for use, names in ((AddressUse.ALONE, alone), (AddressUse.SHARED, shared)):
            for name in names:
                if (address := self._shared.get(name)) is not None and address.use is not AddressUse.SHARED:
                    address.is_used(use)
                    self._asked.discard(name)

    def connect(self, host: HostState, now: float) -> None:
        """Note that a request to the host begins."""
        address = host.busy_at = host.address
        address.in_flight += 1
        host.address_rest = address.next_fetch, now + address.delay
        address.next_fetch = now + address.delay
        self.reopen(address, now)

    def sent(self, host: HostState, now: float) -> None:
        """Note that the request to the host is sent only now, so that the pause of its address begins now."""
        address, (before, since) = host.busy_at, host.address_rest
        if now + address.delay > since:
            host.address_rest = before, now + address.delay
            address.next_fetch = max(address.next_fetch, now + address.delay)

    def look_up(self, host: HostState, now: float) -> None:
        """Note that a lookup of the host's name begins, which makes no request to an address."""
        host.busy_at = self.unlimited
        self.unlimited.in_flight += 1
        self.reopen(host.address, now)  # it may have kept other hosts at the address waiting

    def disconnect(self, host: HostState, now: float) -> None:
        """Note that the request to the host has ended."""
        host.busy_at.in_flight -= 1
        self.reopen(host.busy_at, now)

    def take_back(self, host: HostState) -> None:
        """Cancel the pause that a visit to the host began at its address, because the visit made no request.

        If another request to the address has begun since, the pause remains.
        """
        before, since = host.address_rest
        if host.busy_at.next_fetch == since:
            host.busy_at.next_fetch = before

    def park(self, key: Key, address: Address, now: float) -> None:
        """Park the host of `key` at `address`, its address, until the address is open."""
        if address.parked is None:
            address.parked = KeyHeap(self._ready)
        address.parked.push(key)
        self.reopen(address, now)

    def reopen(self, address: Address, now: float) -> None:
        """Move the most urgent host parked at an address back to the heap, now or when the address's pause is over."""
        if address.parked is None or address.is_full:
            return
        if address.next_fetch <= now:
            key = address.parked.pop()
            if key is not None:
                self._ready.heap.push(key)
        elif address.timer != address.next_fetch:
            address.timer = address.next_fetch
            heappush(self._resting, (address.next_fetch, address.number))

    def wake(self, now: float) -> None:
        """Reopen the addresses whose pause is over."""
        while self._resting and self._resting[0][0] <= now:
            _, number = heappop(self._resting)
            self.reopen(self._all[number], now)

    def next_opening(self) -> float | None:
        """Return when the first pause that keeps a host parked ends, in epoch seconds; None if there is none."""
        while self._resting and not _is_awaited(self._all[self._resting[0][1]]):
            self._all[heappop(self._resting)[1]].timer = -inf
        return self._resting[0][0] if self._resting else None

    def parked_entries(self) -> int:
        """Return the number of entries in the heaps of parked hosts, including stale entries."""
        return sum(len(address.parked.keys) for address in self._all if address.parked is not None)


def _is_awaited(address: Address) -> bool:
    """Return whether a host is parked at the address and may be visited when the address's pause is over."""
    return address.parked is not None and address.parked.first() is not None and not address.is_full
