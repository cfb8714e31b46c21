"""Chooses the proxy for requests to a host. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hinterland.crawler.fetching.access.access import NO_ACCESS, Access, AccessProvider, Asked, Proxy
from hinterland.crawler.fetching.access.host_patterns import HostPatterns


class Route(NamedTuple):
    """The proxy for some hosts; `proxy` is None if the hosts are reached directly."""

    hosts: HostPatterns
    proxy: Proxy | None


class Routes(AccessProvider):
    """Gives each request the proxy of the first route that matches its host."""

    secret_fields: Sequence[str] = ("Proxy-Authorization",)

    def __init__(self, routes: Iterable[Route]) -> None:
        """Use these routes, in order. Hosts that match no route use `fetching.proxy`, if it is set."""
        self._routes = [(hosts, Access(proxy=proxy, is_direct=proxy is None)) for hosts, proxy in routes]

    def access(self, asked: Asked) -> Access:
        """Return the proxy of a request."""
        host = asked.target.host
        return next((access for hosts, access in self._routes if hosts.match(host)), NO_ACCESS)
