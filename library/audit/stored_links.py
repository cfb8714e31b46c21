"""All links of a store as columns, with their kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import BoolArray, IntArray
from hinterland.library.audit.faults import Causes, grouped_causes
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.schema import LINK_KINDS

LINKS: Final = "SELECT source, group_concat((target << 5) | (kind << 1) | nofollow) FROM link GROUP BY source"
"""One row for each page: a row for each link takes three times as long to read."""
_AT_ONCE: Final = 2_000

FOLLOWED: Final = ("a", "area", "frame", "iframe", "refresh")
"""The kinds of links that lead visitors to another page."""


@dataclass(frozen=True, eq=False)
class LinkColumns:
    """Links in parallel columns of shape (k,), ascending by source. `kinds` are numbers as in LINK_KINDS."""

    sources: IntArray
    targets: IntArray
    kinds: NDArray[np.int8]
    nofollow: BoolArray

    def of_kinds(self, names: Sequence[str]) -> LinkColumns:
        """Return the links of the kinds with these names."""
        return self.where(np.isin(self.kinds, [LINK_KINDS.index(name) for name in names]))

    def where(self, chosen: BoolArray) -> LinkColumns:
        """Return the chosen links; `chosen` has shape (k,)."""
        return LinkColumns(self.sources[chosen], self.targets[chosen], self.kinds[chosen], self.nofollow[chosen])

    @cached_property
    def _by_target(self) -> tuple[IntArray, IntArray]:
        order = np.argsort(self.targets, kind="stable")
        return self.targets[order], self.sources[order]

    def causes_of(self, targets: IntArray) -> Causes:
        """Return the pages that link to each of these distinct pages, without links from a page to itself."""
        ends, sources = self._by_target
        begin, end = np.searchsorted(ends, targets), np.searchsorted(ends, targets, side="right")
        counts = end - begin
        places = np.repeat(np.arange(len(targets), dtype=np.int64), counts)
        within = np.arange(int(counts.sum()), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
        found = sources[np.repeat(begin, counts) + within]
        is_other = found != targets[places] if len(places) else np.empty(0, np.bool_)
        return grouped_causes(len(targets), places[is_other].astype(np.int32), found[is_other])


def read_links(reader: StoreReader) -> LinkColumns:
    """Return all links of a store. Takes 9 bytes of memory per link."""
    parts: list[tuple[IntArray, IntArray, NDArray[np.int8], BoolArray]] = []
    cursor = reader.connection.execute(LINKS)
    while rows := cursor.fetchmany(_AT_ONCE):
        packed = np.fromstring(",".join(row[1] for row in rows), np.int64, sep=",")
        counts = [row[1].count(",") + 1 for row in rows]
        sources = np.repeat(np.array([row[0] for row in rows], np.int32), counts)
        kinds = ((packed >> 1) & 15).astype(np.int8)
        parts.append((sources, (packed >> 5).astype(np.int32), kinds, (packed & 1).astype(np.bool_)))
    if not parts:
        nothing = np.empty(0, np.int32)
        return LinkColumns(nothing, nothing, np.empty(0, np.int8), np.empty(0, np.bool_))
    sources, targets, all_kinds, nofollow = (np.concatenate(column) for column in zip(*parts, strict=True))
    return LinkColumns(sources, targets, all_kinds, nofollow)
