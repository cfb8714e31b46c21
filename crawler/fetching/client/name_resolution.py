"""From host names to addresses that may be dialled, with a bounded cache."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from crawler.fetching.address_guard import AddressGuard


class ForbiddenAddress(OSError):
    """The name leads only to addresses that settings do not allow. is_final: nobody was asked for them."""

    is_final = False


class NameNotFound(OSError):
    """The name has no address, or the look-up failed. is_ours: nobody replied to it."""

    is_ours = False


@dataclass(frozen=True, slots=True)
class ResolvedAddress:
    address: str
    family: socket.AddressFamily


class NameResolver:
    """Looks names up in a fixed table, then in the cache, then in the system; answers only what is allowed.

    fixed: name or name:port -> address, like a hosts file. The cache holds at most cache_size names for
    cache_seconds each; the one asked for longest ago goes first. Two questions for one name share a look-up,
    and each waits patience_seconds for it.
    """

    def __init__(
        self,
        guard: AddressGuard,
        *,
        fixed: Mapping[str, str],
        cache_seconds: float,
        cache_size: int,
        now: Callable[[], float],
        patience_seconds: float = 10.0,
    ) -> None:
        self._guard = guard
        self._fixed = {name.lower(): address for name, address in fixed.items()}
        self._cache_seconds = cache_seconds
        self._cache_size = cache_size
        self._now = now
        self._patience_seconds = patience_seconds
        self.lookups = 0
        """Look-ups that the system answered with an address."""
        self._cache: dict[str, tuple[float, list[ResolvedAddress]]] = {}
        self._under_way: dict[str, asyncio.Task[list[ResolvedAddress]]] = {}

    async def resolve(self, name: str, port: int, *, is_fresh: bool = False) -> list[ResolvedAddress]:
        """All allowed addresses, at least one. is_fresh: forget what the cache says. Raises NameNotFound or
        ForbiddenAddress."""
        if is_fresh:
            self._cache.pop(name, None)
        found = self._known(name, port)
        is_given = found is not None and name not in self._cache
        if found is None:
            found = await self._look_up(name)
        allowed = [each for each in found if self._guard.allows(each.address)]
        if not allowed:
            addresses = ", ".join(each.address for each in found)
            where = name if addresses == name else f"{name} is at {addresses}, which"
            self._cache.pop(name, None)  # it may have another one soon
            error = ForbiddenAddress(f"{where} is not allowed by fetching.allow_networks")
            error.is_final = is_given
            raise error
        return allowed

    def _known(self, name: str, port: int) -> list[ResolvedAddress] | None:
        fixed = self._fixed.get(f"{name}:{port}") or self._fixed.get(name)
        literal = fixed or name.strip("[]")
        if (family := _family_of(literal)) is not None:
            return [ResolvedAddress(literal, family)]
        until, found = self._cache.get(name, (0.0, []))
        return found if until > self._now() else None

    async def _look_up(self, name: str) -> list[ResolvedAddress]:
        task = self._under_way.get(name)
        if task is None:
            task = asyncio.ensure_future(self._learn(name))
            self._under_way[name] = task
            task.add_done_callback(lambda done: self._forget_look_up(name, done))
        try:
            async with asyncio.timeout(self._patience_seconds):
                return await asyncio.shield(task)
        except TimeoutError:
            late = NameNotFound(f"{name}: {look_up_took_longer(self._patience_seconds)}")
            late.is_ours = True
            raise late from None

    def _forget_look_up(self, name: str, task: asyncio.Task[list[ResolvedAddress]]) -> None:
        del self._under_way[name]
        if not task.cancelled():
            task.exception()  # those who asked may all be gone; then nobody else looks at it

    async def _learn(self, name: str) -> list[ResolvedAddress]:
        try:
            found = await self._ask_system(name)
        except UnicodeError as error:
            raise NameNotFound(f"{name} cannot be the name of a host") from error
        except OSError as error:
            failed = NameNotFound(f"{name}: {error.strerror or error}")
            failed.is_ours = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
            raise failed from error
        if not found:
            raise NameNotFound(f"{name} has no address")
        self.lookups += 1
        self._cache.pop(name, None)
        while len(self._cache) >= self._cache_size:
            del self._cache[next(iter(self._cache))]
        self._cache[name] = (self._now() + self._cache_seconds, found)
        return found

    async def _ask_system(self, name: str) -> list[ResolvedAddress]:
        infos = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
        found = (ResolvedAddress(str(address[0]), family) for family, _, _, _, address in infos)
        return list(dict.fromkeys(found))


def look_up_took_longer(seconds: float) -> str:
    return f"the look-up took more than {seconds:g} s"


def _family_of(literal: str) -> socket.AddressFamily | None:
    """The family of a literal address; None for a name."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, literal.partition("%")[0])
        except OSError:
            continue
        return family
    return None
