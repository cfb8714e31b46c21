"""Which proxy the requests to a host take. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hinterland.crawler.fetching.access.access import NO_ACCESS, Access, AccessProvider, Asked, Proxy
from hinterland.crawler.fetching.access.host_patterns import HostPatterns


class Route(NamedTuple):
    """The proxy for some hosts; None for the direct way."""

    hosts: HostPatterns
    proxy: Proxy | None


class Routes(AccessProvider):
    """Gives proxies to requests, by their host; the first route that fits decides."""

    secret_fields: Sequence[str] = ("Proxy-Authorization",)

    def __init__(self, routes: Iterable[Route]) -> None:
        """Take the routes; hosts that none of them fits take the usual way."""
        self._routes = [(hosts, Access(proxy=proxy, is_direct=proxy is None)) for hosts, proxy in routes]

    def access(self, asked: Asked) -> Access:
        """Return the proxy of a request."""
        host = asked.target.host
        return next((access for hosts, access in self._routes if hosts.match(host)), NO_ACCESS)
