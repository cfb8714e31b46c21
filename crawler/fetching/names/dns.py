"""DNS lookups by c-ares: hundreds at a time in the event loop, without a thread.

c-ares reads the system's configuration (resolv.conf, hosts, nsswitch.conf), asks for IPv4 and IPv6 addresses together,
repeats queries that get no reply and falls back to TCP. It caches answers itself, including negative ones, for their
TTL. This cache has no limit of its own, so it is emptied from time to time; c-ares then also reads a changed
resolv.conf.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Final

import pycares
from pycares import errno as ares

from hinterland.crawler.fetching.names.lookups import FoundName, LookupFailed, LookupProblem, ResolvedAddress

_TRY_SECONDS: Final = 2.0
_TRIES: Final = 5
"""c-ares doubles the waiting time with each try, so three or four tries fit in the ten seconds that a crawl waits. The
name's own servers may be slow, and a repeated query finds the answer in the resolver's cache."""
_RECEIVE_BYTES: Final = 1_048_576
"""Size of the socket's receive buffer: hundreds of replies may arrive while the event loop is busy."""
_LOOKUPS_KEPT: Final = 5_000
"""Number of lookups after which the cache of c-ares is emptied; it takes 2.8 KB per name."""
_TICK_SECONDS: Final = 0.1
"""Time between two checks whether a query has to be repeated."""
_NO_SORTING: Final = 1 << 7
"""ARES_AI_NOSORT: without it, c-ares would open a socket for each address to find out its route."""

_PROBLEMS: Final = {
    ares.ARES_ENOTFOUND: LookupProblem.NO_SUCH_NAME,
    ares.ARES_ENODATA: LookupProblem.NO_ADDRESS,
    ares.ARES_EBADNAME: LookupProblem.BAD_NAME,
    ares.ARES_EBADQUERY: LookupProblem.BAD_NAME,
    ares.ARES_EFORMERR: LookupProblem.SERVER_FAILED,
    ares.ARES_ESERVFAIL: LookupProblem.SERVER_FAILED,
    ares.ARES_EREFUSED: LookupProblem.SERVER_FAILED,
    ares.ARES_ENOTIMP: LookupProblem.SERVER_FAILED,
    ares.ARES_EBADRESP: LookupProblem.SERVER_FAILED,
}
_TEXTS: Final = {
    LookupProblem.NO_SUCH_NAME: "no such name",
    LookupProblem.NO_ADDRESS: "has no address",
    LookupProblem.BAD_NAME: "cannot be the name of a host",
    LookupProblem.SERVER_FAILED: "the name server could not find it",
    LookupProblem.NO_REPLY: "the name server does not reply",
}


class DnsLookups:
    """DNS lookups in the running event loop."""

    def __init__(self, servers: tuple[str, ...] = ()) -> None:
        """Open a channel to the system's name servers, or to `servers`, such as "192.0.2.1:53"."""
        self._servers = servers
        self._loop = asyncio.get_running_loop()
        self._routes = Routes()
        self._channel = _Channel(self._loop, servers)

    async def look_up(self, name: str) -> FoundName:
        """Return all addresses of a host, IPv6 first if this machine has a route for it. Raises LookupFailed."""
        family = self._routes.family(self._loop.time())
        try:
            return await self._ask(name, family)
        except LookupFailed as error:
            if error.problem is LookupProblem.NO_ADDRESS and family is not socket.AF_UNSPEC:
                return await self._ask(name, socket.AF_UNSPEC)  # only addresses that lead nowhere: report that
            raise

    def forget(self) -> None:
        """Use a new channel, with an empty cache and the present resolv.conf."""
        self._channel.retire()
        self._channel = _Channel(self._loop, self._servers)

    def close(self) -> None:
        """Close the channel once the lookups in flight have ended."""
        self._channel.retire()

    async def _ask(self, name: str, family: socket.AddressFamily) -> FoundName:
        if self._channel.lookups >= _LOOKUPS_KEPT:
            self.forget()
        result, error = await self._channel.ask(name, family)
        if error is not None:
            problem = _PROBLEMS.get(error, LookupProblem.NO_REPLY)
            raise LookupFailed(problem, _TEXTS[problem])
        return _found(result)


class _Channel:
    """One channel of c-ares with its cache, driven by the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, servers: tuple[str, ...]) -> None:
        self.lookups = 0
        self._loop = loop
        self._under_way = 0
        self._is_retired = False
        self._timer: asyncio.TimerHandle | None = None
        self._watched = set[int]()
        # The order (hosts file, DNS) is that of nsswitch.conf. Do not pass `lookups`: pycares frees that text before
        # c-ares has copied it; if the memory has changed by then, every lookup of the channel fails.
        self._ares = pycares.Channel(
            timeout=_TRY_SECONDS,
            tries=_TRIES,
            sock_state_cb=self._watch,
            socket_receive_buffer_size=_RECEIVE_BYTES,
            servers=servers or None,
        )

    async def ask(self, name: str, family: socket.AddressFamily) -> tuple[pycares.AddrInfoResult | None, int | None]:
        """Return the addresses found, or the c-ares error number if there are none."""
        answered: asyncio.Future[tuple[pycares.AddrInfoResult | None, int | None]] = self._loop.create_future()

        def answer(result: pycares.AddrInfoResult | None, error: int | None) -> None:
            if not answered.done():
                answered.set_result((result, error))

        self.lookups += 1
        self._under_way += 1
        self._tick()
        try:
            self._ares.getaddrinfo(
                name, None, family=family, type=socket.SOCK_STREAM, flags=_NO_SORTING, callback=answer
            )
            return await answered
        except (pycares.AresError, UnicodeError):
            return None, ares.ARES_EBADNAME
        finally:
            self._under_way -= 1
            self._close_if_done()

    def retire(self) -> None:
        """Close the channel once the lookups in flight have ended."""
        self._is_retired = True
        self._close_if_done()

    def _close_if_done(self) -> None:
        if not self._is_retired or self._under_way:
            return
        if self._timer is not None:
            self._timer.cancel()
        for descriptor in self._watched:  # c-ares closes them in a thread of its own, where the loop must not be used
            self._loop.remove_reader(descriptor)
            self._loop.remove_writer(descriptor)
        self._watched.clear()
        self._ares.close()

    def _watch(self, descriptor: int, wants_to_read: bool, wants_to_write: bool) -> None:
        """Follow the state of a socket; c-ares calls this when it opens a socket, closes it or changes its use."""
        if self._is_retired and not self._under_way:
            return
        if wants_to_read:
            self._loop.add_reader(descriptor, self._ares.process_fd, descriptor, pycares.ARES_SOCKET_BAD)
        else:
            self._loop.remove_reader(descriptor)
        if wants_to_write:
            self._loop.add_writer(descriptor, self._ares.process_fd, pycares.ARES_SOCKET_BAD, descriptor)
        else:
            self._loop.remove_writer(descriptor)
        if wants_to_read or wants_to_write:
            self._watched.add(descriptor)
        else:
            self._watched.discard(descriptor)

    def _tick(self) -> None:
        """Let c-ares repeat queries or give them up, while any lookup is in flight."""
        if self._timer is None and self._under_way:
            self._timer = self._loop.call_later(_TICK_SECONDS, self._time_passed)

    def _time_passed(self) -> None:
        self._timer = None
        self._ares.process_fd(pycares.ARES_SOCKET_BAD, pycares.ARES_SOCKET_BAD)
        self._tick()


def _found(result: pycares.AddrInfoResult | None) -> FoundName:
    nodes = [] if result is None else result.nodes
    addresses = {(node.addr[0].decode(), socket.AddressFamily(node.family)): None for node in nodes}
    if not addresses:
        raise LookupFailed(LookupProblem.NO_ADDRESS, _TEXTS[LookupProblem.NO_ADDRESS])
    in_order = sorted(addresses, key=lambda each: each[1] is not socket.AF_INET6)  # stable: the servers' order stays
    assert result is not None
    ttl = min([node.ttl for node in nodes] + [cname.ttl for cname in result.cnames])
    return FoundName(tuple(ResolvedAddress(*each) for each in in_order), float(ttl))


class Routes:
    """The address families for which this machine has a route, checked again after a minute."""

    _AGAIN_SECONDS: Final = 60.0
    _FAR_AWAY: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))

    def __init__(self) -> None:
        """Start with nothing checked."""
        self._looked_at = -self._AGAIN_SECONDS
        self._family = socket.AF_UNSPEC

    def family(self, now: float) -> socket.AddressFamily:
        """Return the only family with a route; AF_UNSPEC if both or neither have one. `now` is in seconds."""
        if now - self._looked_at >= self._AGAIN_SECONDS:
            self._looked_at = now
            ways = [family for family, address in self._FAR_AWAY if _has_way(family, address)]
            self._family = ways[0] if len(ways) == 1 else socket.AF_UNSPEC
        return self._family


def _has_way(family: socket.AddressFamily, address: str) -> bool:
    """Return whether there is a route. Nothing is sent: connecting a UDP socket only selects a route."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 53))
    except OSError:
        return False
    return True
