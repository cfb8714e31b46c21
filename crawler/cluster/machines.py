"""Whether the machines of a cluster have room for another shard. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.cluster.launcher import HeldUp

PROCESSORS_A_SHARD: Final = 0.01
"""Processors that a shard reserves, far fewer than it uses. All shards fit on any one machine: when machines are lost,
their shards move to machines that already have some."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine of the cluster, with its declared number of processors and the number that is free."""

    name: str
    free: float
    processors: float


def held_up_by(machines: Sequence[Machine]) -> HeldUp:
    """Return why a requested shard has not started, judging by what is free on each machine."""
    able = [each for each in machines if each.processors]
    if not able:
        return HeldUp("the cluster has no machine with processors: `ray start --address HOST:PORT` adds one", True)
    free = ", ".join(f"{each.name} has {each.free:.4g} of {each.processors:.4g} processors free" for each in able)
    if all(each.free < PROCESSORS_A_SHARD for each in able):
        way_out = "it starts once a machine has room or another machine joins"
        return HeldUp(f"no machine has room for the shard: {free}; {way_out}", True)
    return HeldUp(f"the shard's machine is slow to start it, or was lost ({free})")
