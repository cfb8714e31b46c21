"""Communities: cores that have the same fans, joined into one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.graph import Graph, IntArray
from hinterland.lab.trawling.cores import Cores


@dataclass(frozen=True, eq=False, slots=True)
class Community:
    """The fans of one or more cores, and all centres to which all these fans link; `hosts` counts the fans' hosts."""

    fans: IntArray
    centres: IntArray
    hosts: int


def communities(found: Cores, links: Graph, hosts: IntArray) -> list[Community]:
    """Join the cores that have the same fans, and sort them.

    The more hosts the fans are on, the less likely is it that a single author made their links. So communities with
    fans on most hosts come first; ties are in descending order of fans times centres.
    """
    distinct = {found.fans_of(core).tobytes(): found.fans_of(core) for core in range(len(found))}
    joined = [Community(fans, _common(links, fans), len(np.unique(hosts[fans]))) for fans in distinct.values()]
    return sorted(joined, key=lambda each: (-each.hosts, -len(each.fans) * len(each.centres), each.fans.tolist()))


def _common(links: Graph, fans: IntArray) -> IntArray:
    centres = links.successors(int(fans[0]))
    for fan in fans[1:].tolist():
        centres = np.intersect1d(centres, links.successors(fan), assume_unique=True)
    return centres
