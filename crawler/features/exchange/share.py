"""What one of several shards may do at once, so that all of them together keep to the settings. Pure.

Hosts need no sharing out: each belongs to one shard. An IP address may have hosts of many: each shard has its share of
the address's connections, and its turns (see `time_slots`). That holds whatever happens to the others.
"""

from __future__ import annotations

from dataclasses import replace

from hinterland.crawler.settings import Settings
from hinterland.crawler.settings.rules import Complaint


def share_of(settings: Settings, shards: int, processes: int) -> Settings:
    """The settings of each of so many shards. processes: that may parse pages, over all shards.

    Raises Complaint if there is something that cannot be shared out.
    """
    politeness, fetching = settings.politeness, settings.fetching
    connections, visits = politeness.address_connections, fetching.max_in_flight
    for name, value, what in (
        ("politeness.address_connections", connections, "connections to one address"),
        ("fetching.max_in_flight", visits, "visits under way"),
    ):
        if 0 < value < shards:
            raise Complaint(
                f"{name} = {value}: {shards} shards cannot share so few {what}; take no more shards than that,"
                f" or set it to {shards} or more"
            )
    return replace(
        settings,
        politeness=replace(politeness, address_connections=connections // shards),
        fetching=replace(fetching, max_in_flight=visits // shards),
        parsing=replace(settings.parsing, processes=max(1, processes // shards)),
    )
