"""Divides the limits in the settings among shards, so that all shards together keep to them. Pure.

Limits per host need not be divided, since each host belongs to one shard. But an IP address may have hosts of many
shards, so each shard gets a share of the address's connections, and time slots of its own (see `TimeSlots`). This works
even while other shards are down.
"""

from __future__ import annotations

from dataclasses import replace

from hinterland.crawler.settings import Settings
from hinterland.crawler.settings.rules import Complaint


def share_of(settings: Settings, shards: int, processes: int) -> Settings:
    """Return the settings of each shard, given the settings of the crawl and the number of shards.

    `processes` is how many processes may parse pages, for all shards together. Raises Complaint if a limit is too low
    to be divided.
    """
    politeness, fetching = settings.politeness, settings.fetching
    connections, visits = politeness.address_connections, fetching.max_in_flight
    for name, value, what in (
        ("politeness.address_connections", connections, "connections to one address"),
        ("fetching.max_in_flight", visits, "visits under way"),
    ):
        if 0 < value < shards:
            raise Complaint(
                f"{name} = {value}: too few {what} for {shards} shards, which need at least one each; use fewer"
                f" shards, or set it to {shards} or more"
            )
    return replace(
        settings,
        politeness=replace(politeness, address_connections=connections // shards),
        fetching=replace(fetching, max_in_flight=visits // shards),
        parsing=replace(settings.parsing, processes=max(1, processes // shards)),
    )
