"""How much room the machines of a cluster have for a shard. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.cluster.launcher import HeldUp

PROCESSORS_A_SHARD: Final = 0.01
"""What a shard asks for. It is not what it uses, and so little that all shards fit on any machine that takes part: when
machines are lost, the shards they had go on where others are already."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that takes part. free, processors: those that it was said to have, and what is left of them."""

    name: str
    free: float
    processors: float


def held_up_by(machines: Sequence[Machine]) -> HeldUp:
    """What keeps a shard that was asked for from its start, by what each machine has free."""
    able = [each for each in machines if each.processors]
    if not able:
        return HeldUp("the cluster has no machine with processors: `ray start --address HOST:PORT` adds one", True)
    free = ", ".join(f"{each.name} has {each.free:.4g} of {each.processors:.4g} processors free" for each in able)
    if all(each.free < PROCESSORS_A_SHARD for each in able):
        way_out = "it starts as soon as one has, or another machine joins"
        return HeldUp(f"no machine has room for it: {free}; {way_out}", True)
    return HeldUp(f"its machine is slow to start it, or not there any more ({free})")
