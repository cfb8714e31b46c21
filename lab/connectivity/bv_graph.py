"""A graph in WebGraph's BvGraph format in memory: about three bits per link, with random access."""

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
    """A directed graph of n pages; an immutable value.

    `words` has the records of all pages, one after another, and one more word. `starts` holds the bit at which each
    group of `form.restart_interval` pages begins. To find a page, its group is read from the beginning, which takes
    about 20 ns per link.
    """

    words: WordArray
    starts: EliasFano
    page_count: int
    link_count: int
    form: BvForm

    @classmethod
    def of(cls, graph: Graph, form: BvForm | None = None) -> BvGraph:
        """Encode a graph. The successors of each page must ascend, as they do in every Graph."""
        form = form or BvForm()
        words, starts = encoded(graph.rows, form)
        return cls(words, elias_fano(starts[: -1 : form.restart_interval]), graph.page_count, graph.link_count, form)

    def successors(self, page: int) -> IntArray:
        """Return the successors of a page, ascending. Raises IndexError for an unknown page."""
        self._check(page)
        return row_of(self.words, self.starts, self._numbers, page)

    def rows_of(self, pages: ArrayLike) -> Rows:
        """Return the links of many pages, shape (k,), in one call.

        The links of pages[i] are targets[offsets[i]:offsets[i + 1]].
        """
        chosen = np.asarray(pages, np.int64)
        if len(chosen):
            self._check(int(chosen.min()))
            self._check(int(chosen.max()))
        return rows_of(self.words, self.starts, self._numbers, chosen)

    def graph(self) -> Graph:
        """Return the unpacked graph, with 32 bits per link."""
        offsets, targets = all_rows(self.words, self._numbers, self.page_count, self.link_count)
        for array in (offsets, targets):
            array.flags.writeable = False
        return Graph(offsets, targets)

    def record_starts(self) -> OffsetArray:
        """Return the bit at which the record of each page begins, and the end of the last, shape (n + 1,)."""
        return record_starts(self.words, self._numbers, self.page_count)

    @property
    def word_bytes(self) -> int:
        """The size of the records alone, in bytes."""
        return 8 * (len(self.words) - 1)

    @property
    def byte_count(self) -> int:
        """The size in memory, in bytes, including the data that locates the records."""
        return self.words.nbytes + byte_count(self.starts)

    @cached_property
    def _numbers(self) -> OffsetArray:
        return self.form.numbers

    def _check(self, page: int) -> None:
        if not 0 <= page < self.page_count:
            raise IndexError(f"{page} is not one of the {self.page_count} pages")
