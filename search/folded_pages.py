"""The mapping from documents to the pages folded into them, as arrays. Pure.

Most pages of a large crawl have no duplicates; they take no space here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from hinterland.analysis.chunked import Allocator
from hinterland.analysis.ordering import sorted_pairs
from hinterland.search.store.values.arrays import LongArray


class FoldedPages(Mapping[int, tuple[int, ...]]):
    """The mapping from each page to the pages folded into it; iterates over the keys in ascending order.

    Only pages with duplicates are keys. Takes 16 bytes per folded page.
    """

    def __init__(self, owners: LongArray, members: LongArray, zeros: Allocator = np.zeros) -> None:
        """Build the mapping from parallel arrays in any order.

        `members` are folded pages, `owners` the pages that represent them. `zeros` allocates the sorted copies.
        """
        self.owners, self.members = sorted_pairs(owners, members, zeros)
        """Parallel arrays; `owners` is ascending."""

    def __getitem__(self, page: int) -> tuple[int, ...]:
        """Return the pages folded into `page`; raises KeyError if there are none."""
        begin, end = np.searchsorted(self.owners, [page, page + 1])
        if begin == end:
            raise KeyError(page)
        return tuple(self.members[begin:end].tolist())

    def __iter__(self) -> Iterator[int]:
        """Iterate over the pages with duplicates, ascending."""
        return iter(np.unique(self.owners).tolist())

    def __len__(self) -> int:
        """Return the number of pages with duplicates."""
        return len(np.unique(self.owners))
