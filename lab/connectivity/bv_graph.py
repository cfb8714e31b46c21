"""A graph in WebGraph's BvGraph format in memory, some three bits a link, read at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hinterland.analysis.graph import Graph, IntArray, OffsetArray, Rows
from hinterland.lab.connectivity.bit_codes import WordArray
from hinterland.lab.connectivity.bv_form import BvForm
from hinterland.lab.connectivity.bv_reading import all_rows, record_starts, row_of, rows_of
from hinterland.lab.connectivity.bv_writing import encoded
from hinterland.lab.connectivity.elias_fano import EliasFano, byte_count, elias_fano


@dataclass(frozen=True, eq=False)
class BvGraph:
    """A directed graph of n pages; a value, read-only.

    words: the records of all pages, one after the other, and a word more. starts: at which bit each group of
    `form.restart_interval` pages begins; what is wanted of a group is found by reading it from its beginning, some
    twenty nanoseconds a link.
    """

    words: WordArray
    starts: EliasFano
    page_count: int
    link_count: int
    form: BvForm

    @classmethod
    def of(cls, graph: Graph, form: BvForm | None = None) -> BvGraph:
        """The successors of each page ascend, as all makers of graphs here have them."""
        form = form or BvForm()
        words, starts = encoded(graph.rows, form)
        return cls(words, elias_fano(starts[: -1 : form.restart_interval]), graph.page_count, graph.link_count, form)

    def successors(self, page: int) -> IntArray:
        """Ascending. Raises IndexError for a page that there is not."""
        self._check(page)
        return row_of(self.words, self.starts, self._numbers, page)

    def rows_of(self, pages: ArrayLike) -> Rows:
        """Of many pages, shape (k,), in one call: the links of pages[i] are targets[offsets[i]:offsets[i + 1]]."""
        chosen = np.asarray(pages, np.int64)
        if len(chosen):
            self._check(int(chosen.min()))
            self._check(int(chosen.max()))
        return rows_of(self.words, self.starts, self._numbers, chosen)

    def graph(self) -> Graph:
        """Unpacked: 32 bits a link."""
        offsets, targets = all_rows(self.words, self._numbers, self.page_count, self.link_count)
        for array in (offsets, targets):
            array.flags.writeable = False
        return Graph(offsets, targets)

    def record_starts(self) -> OffsetArray:
        """At which bit each page begins, the end included, shape (n + 1,)."""
        return record_starts(self.words, self._numbers, self.page_count)

    @property
    def word_bytes(self) -> int:
        """Of the records alone."""
        return 8 * (len(self.words) - 1)

    @property
    def byte_count(self) -> int:
        """In memory, all that finds the records included."""
        return self.words.nbytes + byte_count(self.starts)

    @cached_property
    def _numbers(self) -> OffsetArray:
        return self.form.numbers

    def _check(self, page: int) -> None:
        if not 0 <= page < self.page_count:
            raise IndexError(f"{page} is not one of the {self.page_count} pages")
