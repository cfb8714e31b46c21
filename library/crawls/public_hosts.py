"""The addresses of the seeds' hosts, looked up before a crawl begins.

The addresses show two things: which hosts are public, so that the crawler should name a contact to which their owners
can write, and which hosts must not be requested.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from ipaddress import IPv4Address, ip_address, ip_network

from hinterland.crawler.fetching.address_guard import AddressGuard
from hinterland.crawler.fetching.names.choice import open_lookups
from hinterland.crawler.fetching.names.resolver import NameResolver
from hinterland.crawler.settings import FetchingSettings, Settings
from hinterland.crawler.urls.hosts import host_of, name_of
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import HinterlandError

_RESERVED = (".example", ".test", ".invalid", ".localhost", ".local", ".internal", ".onion")  # RFC 2606, 6761, 7686
_SAMPLE = 5
_PATIENCE_SECONDS = 3.0
_LOOPBACK = ip_network("127.0.0.0/8")

WARNING = (
    "identity.contact is empty, so the owners of these sites cannot reach you when something goes wrong. Set"
    ' contact = "https://you.example/crawler" in settings.toml, or use --set identity.contact=mailto:you@...'
)

_CLOSED = "and no request is made to an address that is not public unless you allow it. If that machine is yours"

Addresses = Mapping[str, Sequence[str]]
"""The addresses of each host; empty if none can be found."""


async def addresses_of(seeds: Sequence[str], settings: FetchingSettings) -> Addresses:
    """Return the addresses of the first hosts among the seeds, looked up by DNS.

    Reserved names are not looked up. With a proxy, no name is looked up here, since the proxy resolves names.
    """
    hosts = list(dict.fromkeys(host_of(seed) for seed in seeds))[:_SAMPLE]
    found = await asyncio.gather(*(_addresses(host, settings) for host in hosts))
    return dict(zip(hosts, found, strict=True))


def lacks_contact(settings: Settings, addresses: Addresses) -> bool:
    """Return whether a host is public although the settings name no contact to which its owner could write."""
    if settings.identity.contact:
        return False
    if settings.fetching.proxy:  # it is the proxy that looks names up
        return any(not _is_reserved(name_of(host)) for host in addresses)
    own = settings.fetching.allow_networks
    return any(_is_of_others(address, own) for found in addresses.values() for address in found)


def closed_hosts(addresses: Addresses, settings: FetchingSettings) -> dict[str, str]:
    """Return the hosts that have only forbidden addresses, each with one of these addresses."""
    guard = AddressGuard(settings.allow_networks)
    return {
        host: min(found, key=lambda address: ":" in address)
        for host, found in addresses.items()
        if found and not any(map(guard.allows, found))
    }


def require_open(
    addresses: Addresses, settings: FetchingSettings, command: Sequence[str], warn: Callable[[str], None]
) -> None:
    """Raise HinterlandError if requests to all of the hosts are forbidden. Warn if only some are forbidden.

    The error names the setting that allows the requests. `command` holds the arguments of the crawl.
    """
    closed = closed_hosts(addresses, settings)
    if not closed:
        return
    where = "; ".join(f"{host} is at {address}" for host, address in closed.items())
    networks = dict.fromkeys([*settings.allow_networks, *map(network_of, closed.values())])
    opening = f"--set fetching.allow_networks={','.join(networks)}"
    if len(closed) < len(addresses):
        warn(f"{where}, {_CLOSED}, add {opening}")
        return
    again = f"{PROGRAM} {shlex.join(command)}"
    raise HinterlandError(f"{where}, {_CLOSED}:\n  {again} {opening}")


def network_of(address: str) -> str:
    """Return the entry of fetching.allow_networks that allows this address.

    It is all of loopback for an address of loopback, and otherwise the address alone.
    """
    parsed = ip_address(address.partition("%")[0])
    return str(_LOOPBACK) if isinstance(parsed, IPv4Address) and parsed in _LOOPBACK else str(parsed)


async def _addresses(host: str, settings: FetchingSettings) -> list[str]:
    name = name_of(host)
    port = int(host.rpartition(":")[2]) if host.count(":") > 1 and host[-1].isdigit() else 80
    resolver = NameResolver(
        AddressGuard(("0.0.0.0/0", "::/0")),
        open_lookups(settings.lookups),
        fixed=settings.addresses,
        cache_seconds=60.0,
        cache_size=_SAMPLE,
        now=time.monotonic,
    )
    if settings.proxy or (_is_reserved(name) and name != "localhost" and not resolver.is_fixed(name, port)):
        return []
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return [each.address for each in await resolver.addresses(name, port)]
    except OSError:
        return []
    finally:
        resolver.close()


def _is_reserved(name: str) -> bool:
    return name == "localhost" or name.endswith(_RESERVED)


def _is_of_others(address: str, own_networks: Sequence[str]) -> bool:
    if not AddressGuard().allows(address):
        return False
    parsed = ip_address(address)
    return not any(parsed in ip_network(network) for network in own_networks)
