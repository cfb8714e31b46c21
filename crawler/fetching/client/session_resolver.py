"""The crawl's name lookups behind the interface that aiohttp uses."""

from __future__ import annotations

import socket

from aiohttp.abc import AbstractResolver, ResolveResult

from hinterland.crawler.fetching.client.families import FamilyPreference
from hinterland.crawler.fetching.client.request import under_way
from hinterland.crawler.fetching.names.resolver import NameResolver


class SessionResolver(AbstractResolver):
    """The resolver that is given to aiohttp."""

    def __init__(self, resolver: NameResolver, families: FamilyPreference) -> None:
        """Look names up with `resolver`, and order the addresses by what `families` has learnt."""
        self._resolver = resolver
        self._families = families

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a host, and report the beginning and end of the lookup to the request under way."""
        request = under_way.get()
        proxy = None if request is None else request.access.proxy
        if proxy is not None and proxy.scheme == "socks5h":
            return [_unresolved(host, port)]
        if request is not None:
            request.lookup_begins()
        is_proxy = proxy is not None and proxy.scheme == "http"
        found = await self._resolver.addresses(host, port, is_chosen=is_proxy)
        if request is not None:
            request.lookup_ends()
        return [
            ResolveResult(
                hostname=host,
                host=each.address,
                port=port,
                family=each.family,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for each in self._families.in_order(found)
        ]

    async def close(self) -> None:
        """Do nothing: the owner of the resolver closes it."""


def _unresolved(host: str, port: int) -> ResolveResult:
    """Return a host name in the form of an address, without looking it up, because the proxy does that."""
    return ResolveResult(hostname=host, host=host, port=port, family=socket.AF_INET, proto=socket.IPPROTO_TCP, flags=0)
