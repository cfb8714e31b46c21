"""Whether a crawl visits hosts of others, who should know whom to write to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from ipaddress import ip_address, ip_network

from crawler.fetching.address_guard import AddressGuard
from crawler.fetching.name_resolution import NameResolver
from crawler.settings import FetchingSettings, Settings
from crawler.urls import host_of, name_of

_RESERVED = (".example", ".test", ".invalid", ".localhost", ".local", ".internal")  # RFC 2606, 6761, 6762
_SAMPLE = 5
_PATIENCE_SECONDS = 3.0

WARNING = (
    "identity.contact is empty, so the owners of these sites cannot reach you when something goes wrong. Set"
    ' contact = "https://you.example/crawler" in settings.toml, or use --set identity.contact=mailto:you@...'
)


async def lacks_contact(settings: Settings, seeds: Sequence[str]) -> bool:
    """Whether public hosts are among the seeds and nobody is named whom their owners could write to.

    Looks up the names of a few seeds, as the crawl will do anyway; a name that cannot be found is not public.
    """
    if settings.identity.contact:
        return False
    hosts = list(dict.fromkeys(host_of(seed) for seed in seeds))[:_SAMPLE]
    return any(await asyncio.gather(*(_is_public(host, settings.fetching) for host in hosts)))


async def _is_public(host: str, settings: FetchingSettings) -> bool:
    name = name_of(host)
    if name == "localhost" or name.endswith(_RESERVED):
        return False
    if settings.proxy:
        return True  # it is the proxy that looks names up
    resolver = NameResolver(
        AddressGuard(("0.0.0.0/0", "::/0")),
        fixed=settings.addresses,
        cache_seconds=60.0,
        cache_size=_SAMPLE,
        now=time.monotonic,
    )
    port = int(host.rpartition(":")[2]) if host.count(":") > 1 and host[-1].isdigit() else 80
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            found = await resolver.resolve(name, port)
    except OSError:
        return False
    return any(_is_of_others(each.address, settings.allow_networks) for each in found)


def _is_of_others(address: str, own_networks: Sequence[str]) -> bool:
    if not AddressGuard().allows(address):
        return False
    parsed = ip_address(address)
    return not any(parsed in ip_network(network) for network in own_networks)
