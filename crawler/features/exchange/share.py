"""What each of several shards may do at once, so that all of them together keep to the settings. Pure.

Hosts need not be divided: each belongs to one shard. An IP address may have hosts of many shards: each shard has its
share of the address's connections, and its turns (see `turns`). That holds whatever happens to the other shards.
"""

from __future__ import annotations

from dataclasses import replace

from hinterland.crawler.settings import Settings
from hinterland.crawler.settings.rules import Complaint


def share_of(settings: Settings, shards: int, processes: int) -> Settings:
    """Return the settings of each of `shards` shards.

    `processes` is how many processes may parse pages, over all shards. Raises Complaint if a limit is too low to be
    divided.
    """
    politeness, fetching = settings.politeness, settings.fetching
    connections, visits = politeness.address_connections, fetching.max_in_flight
    for name, value, what in (
        ("politeness.address_connections", connections, "connections to one address"),
        ("fetching.max_in_flight", visits, "visits under way"),
    ):
        if 0 < value < shards:
            raise Complaint(
                f"{name} = {value}: too few {what} for {shards} shards, each needs at least one; use fewer"
                f" shards, or set it to {shards} or more"
            )
    return replace(
        settings,
        politeness=replace(politeness, address_connections=connections // shards),
        fetching=replace(fetching, max_in_flight=visits // shards),
        parsing=replace(settings.parsing, processes=max(1, processes // shards)),
    )
