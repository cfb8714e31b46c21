"""Which pages were folded into which, in arrays: of a million pages most stand for themselves. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from hinterland.analysis.chunked import Allocator
from hinterland.analysis.ordering import sorted_pairs
from hinterland.search.store.values.arrays import LongArray


class FoldedPages(Mapping[int, tuple[int, ...]]):
    """Page -> the further pages folded into it, ascending; only of pages that have such. 16 bytes a page folded in."""

    def __init__(self, owners: LongArray, members: LongArray, zeros: Allocator = np.zeros) -> None:
        """Parallel, in any order: each member with the page that stands for it. zeros: makes their room."""
        self.owners, self.members = sorted_pairs(owners, members, zeros)
        """Parallel; the owners ascend."""

    def __getitem__(self, page: int) -> tuple[int, ...]:
        begin, end = np.searchsorted(self.owners, [page, page + 1])
        if begin == end:
            raise KeyError(page)
        return tuple(self.members[begin:end].tolist())

    def __iter__(self) -> Iterator[int]:
        return iter(np.unique(self.owners).tolist())

    def __len__(self) -> int:
        return len(np.unique(self.owners))
