"""Where redirects lead in the end. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hinterland.analysis.graph import IntArray

CIRCLE = -1
"""The end of redirects that lead back to themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Two values for each of n pages: the page to which its redirects lead, and the number of these redirects.

    A page that does not redirect leads to itself.
    """

    ends: IntArray
    lengths: IntArray


def chains(hops: Mapping[int, int], count: int) -> Chains:
    """Return where the redirects of `count` pages lead; `hops` maps pages to the targets of their redirects."""
    ends, lengths = np.arange(count, dtype=np.int32), np.zeros(count, np.int32)
    done: dict[int, tuple[int, int]] = {}
    for start in hops:
        way: list[int] = []
        on_way = set[int]()
        here = start
        while here in hops and here not in done and here not in on_way:
            way.append(here)
            on_way.add(here)
            here = hops[here]
        end, length = done.get(here, (CIRCLE if here in on_way else here, 0))
        for page in reversed(way):
            length += 1
            done[page] = end, length
    for page, (end, length) in done.items():
        ends[page], lengths[page] = end, length
    return Chains(ends, lengths)
