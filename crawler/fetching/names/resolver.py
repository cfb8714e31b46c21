"""Resolves host names to allowed addresses: from a fixed table, then from the cache, then by a lookup."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from yarl import URL

from hinterland.crawler.fetching.address_guard import AddressGuard
from hinterland.crawler.fetching.names.lookups import FoundName, LookupFailed, LookupProblem, Lookups, ResolvedAddress
from hinterland.crawler.fetching.names.name_cache import NameCache

_CACHE_SECONDS: Final = 3600.0
"""Maximum time for which an address is kept. It is kept for its TTL, but for at least half a minute. A host that fails
is looked up again before its next visit."""
_CACHE_SIZE: Final = 100_000
"""Maximum number of cached names, which bounds the memory of a crawl over very many hosts. The least recently used name
is dropped first."""


class ForbiddenAddress(OSError):
    """Raised if the settings allow no address of a host. `is_final` says that no lookup was involved."""

    is_final = False


class NameNotFound(OSError):
    """Raised if the name has no address, or the lookup failed.

    `is_ours` says that the name server of this machine may have failed, `is_silence` that it did not reply.
    """

    is_ours = False
    is_silence = False


class NamedAddress(NamedTuple):
    """The address of a host, and when its name must be looked up again; inf for never.

    Hosts with the same address share the limits of that address.
    """

    address: str
    until: float


class NameResolver:
    """Finds the addresses of hosts, and returns only addresses that the guard allows.

    Concurrent requests for one name share a lookup, and each waits `patience_seconds` for it. When a request has waited
    in vain, the next one begins another lookup, since the name server may be back by then.
    """

    def __init__(
        self,
        guard: AddressGuard,
        lookups: Lookups,
        *,
        fixed: Mapping[str, str],
        cache_seconds: float = _CACHE_SECONDS,
        cache_size: int = _CACHE_SIZE,
        now: Callable[[], float],
        patience_seconds: float = 10.0,
    ) -> None:
        """Start with an empty cache.

        `fixed` maps name or name:port to an address, like a hosts file. `now` returns seconds of the clock used for
        `NamedAddress.until`.
        """
        self._guard = guard
        self._outside = lookups
        self._fixed = {_spelt(name): address for name, address in fixed.items()}
        self._now = now
        self._patience_seconds = patience_seconds
        self.lookups = 0
        """The number of lookups that found an address."""
        self._cache = NameCache(most_seconds=cache_seconds, size=cache_size)
        self._under_way: dict[str, asyncio.Task[FoundName]] = {}
        self._late = set[asyncio.Task[FoundName]]()
        """Lookups that took too long. Nothing waits for them any more, but their results are kept."""

    async def look_up(self, name: str, port: int, *, is_fresh: bool = False) -> NamedAddress:
        """Return the address of a host, from a new lookup if the cached answer has expired.

        `is_fresh` requests a new lookup in any case. For a host with IPv4 and IPv6 addresses, its first IPv4 address is
        returned, because hosts on one machine more often share their IPv4 address. Raises NameNotFound or
        ForbiddenAddress.
        """
        if is_fresh:
            self._cache.forget(name)
            self._outside.forget()
        kept = self._cache.find(name)
        if kept is not None and kept[0] <= self._now():
            self._cache.forget(name)
        allowed = await self.addresses(name, port)
        kept = self._cache.find(name)
        until = float("inf") if kept is None else kept[0]
        counted = next((each for each in allowed if each.family is socket.AF_INET), allowed[0])
        return NamedAddress(counted.address, until)

    async def addresses(self, name: str, port: int, *, is_chosen: bool = False) -> list[ResolvedAddress]:
        """Return all allowed addresses of a host, at least one, in the order in which they should be tried.

        A cached answer is used even if it has expired, because every name is looked up before its first connection.
        `is_chosen` says that the user chose the host, such as a proxy; then its addresses need not be allowed by the
        guard. Raises NameNotFound or ForbiddenAddress.
        """
        given = self._given(name, port)
        found = [given] if given is not None else await self._looked_up(name)
        allowed = [each for each in found if is_chosen or self._guard.allows(each.address)]
        if not allowed:
            addresses = ", ".join(each.address for each in found)
            where = name if addresses == name else f"{name} is at {addresses}, which"
            self._cache.forget(name)  # the name may get another address soon
            error = ForbiddenAddress(f"{where} is not allowed by fetching.allow_networks")
            error.is_final = given is not None
            raise error
        return allowed

    def is_fixed(self, name: str, port: int) -> bool:
        """Return whether the settings define the address of a host."""
        return self._fixed_address(name, port) is not None

    def close(self) -> None:
        """Cancel all lookups."""
        for task in (*self._under_way.values(), *self._late):
            task.cancel()
        self._outside.close()

    def _given(self, name: str, port: int) -> ResolvedAddress | None:
        """Return the address that is defined by the settings or by the name itself, or None."""
        literal = self._fixed_address(name, port) or name.strip("[]")
        family = _family_of(literal)
        return None if family is None else ResolvedAddress(literal, family)

    def _fixed_address(self, name: str, port: int) -> str | None:
        if not self._fixed:
            return None
        spelt = _spelt(name)
        return self._fixed.get(f"{spelt}:{port}") or self._fixed.get(spelt)

    async def _looked_up(self, name: str) -> Sequence[ResolvedAddress]:
        kept = self._cache.find(name)
        found = await self._shared_lookup(name) if kept is None else kept[1]
        return found.addresses

    async def _shared_lookup(self, name: str) -> FoundName:
        task = self._under_way.get(name)
        if task is None:
            task = asyncio.ensure_future(self._learn(name))
            self._under_way[name] = task
            task.add_done_callback(lambda done: self._lookup_ended(name, done))
        try:
            async with asyncio.timeout(self._patience_seconds):
                return await asyncio.shield(task)
        except TimeoutError:
            if self._under_way.get(name) is task:
                del self._under_way[name]
                self._late.add(task)
            late = NameNotFound(f"{name}: {lookup_took_longer(self._patience_seconds)}")
            late.is_ours = late.is_silence = True
            raise late from None

    def _lookup_ended(self, name: str, task: asyncio.Task[FoundName]) -> None:
        self._late.discard(task)
        if self._under_way.get(name) is task:
            del self._under_way[name]
        if not task.cancelled():
            task.exception()  # all requests for the name may be gone, and nobody else retrieves the error

    async def _learn(self, name: str) -> FoundName:
        try:
            found = await self._outside.look_up(name)
        except LookupFailed as error:
            says = str(error)
            failed = NameNotFound(f"{name} {says}" if error.problem is LookupProblem.BAD_NAME else f"{name}: {says}")
            failed.is_ours = error.may_be_ours
            failed.is_silence = error.problem is LookupProblem.NO_REPLY
            raise failed from error
        self.lookups += 1
        self._cache.keep(name, found, self._now())
        return found


def lookup_took_longer(seconds: float) -> str:
    """Return the error text for a lookup that took longer than this many seconds."""
    return f"the lookup took more than {seconds:g} s"


def _family_of(literal: str) -> socket.AddressFamily | None:
    """Return the family of a literal address; None for a name."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, literal.partition("%")[0])
        except OSError:
            continue
        return family
    return None


def _spelt(name: str) -> str:
    """Return a name, perhaps with a port, in the spelling used for the fixed names.

    For example, xn--bcher-kva.test becomes bücher.test.
    """
    host, colon, port = name.rpartition(":")
    if not port.isdigit() or ":" in host:
        host, colon, port = name, "", ""
    try:
        return f"{URL.build(scheme='http', host=host).host or host}{colon}{port}"
    except ValueError:  # not the name of a host
        return name.lower()
