"""A graph in WebGraph's BvGraph format in memory, some three bits a link, read at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from analysis.compiled import compiled
from analysis.connectivity.bit_codes import WordArray, read_code, read_gamma
from analysis.connectivity.bv_form import (
    BLOCK_COUNTS,
    BLOCKS,
    MIN_INTERVAL,
    OUTDEGREES,
    REFERENCES,
    RESIDUALS,
    ZETA_K,
    BvForm,
)
from analysis.connectivity.bv_writing import encoded
from analysis.connectivity.elias_fano import EliasFano, byte_count, elias_fano, number_at, numbers_of
from analysis.graph import Graph, IntArray, OffsetArray, Rows


@dataclass(frozen=True, eq=False)
class BvGraph:
    """A directed graph of n pages; a value, read-only.

    words: the records of all pages, one after the other, and a word more. starts: at which bit each begins, the end
    included.
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
        return cls(words, elias_fano(starts), graph.page_count, graph.link_count, form)

    def successors(self, page: int) -> IntArray:
        """Ascending. Raises IndexError for a page that there is not."""
        self._check(page)
        return _successors(self.words, self.starts, self._numbers, page)

    def outdegree(self, page: int) -> int:
        self._check(page)
        return _outdegree(self.words, self.starts, self._numbers, page)

    def rows_of(self, pages: ArrayLike) -> Rows:
        """Of many pages, shape (k,), in one call: the links of pages[i] are targets[offsets[i]:offsets[i + 1]]."""
        chosen = np.asarray(pages, np.int64)
        if len(chosen):
            self._check(int(chosen.min()))
            self._check(int(chosen.max()))
        return _rows_of(self.words, self.starts, self._numbers, chosen)

    def graph(self) -> Graph:
        """Unpacked: 32 bits a link."""
        offsets, targets = _unpacked(self.words, self._numbers, self.page_count, self.link_count)
        for array in (offsets, targets):
            array.flags.writeable = False
        return Graph(offsets, targets)

    def record_starts(self) -> OffsetArray:
        """At which bit each page begins, the end included, shape (n + 1,)."""
        return numbers_of(self.starts, self.page_count + 1)

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


@compiled
def _outdegree(words: WordArray, starts: EliasFano, form: OffsetArray, page: int) -> int:
    return read_code(words, number_at(starts, page), form[OUTDEGREES], form[ZETA_K])[0]


@compiled
def _head(words: WordArray, position: int, form: OffsetArray) -> tuple[int, int, int]:
    """The outdegree, how far back the list that is copied from is, and where the record goes on."""
    degree, position = read_code(words, position, form[OUTDEGREES], form[ZETA_K])
    back = 0
    if degree and form[REFERENCES] >= 0:
        back, position = read_code(words, position, form[REFERENCES], form[ZETA_K])
    return degree, back, position


@compiled
def _successors(words: WordArray, starts: EliasFano, form: OffsetArray, page: int) -> IntArray:
    degree, back, position = _head(words, number_at(starts, page), form)
    if not back:
        return _row(words, position, form, page, degree, np.empty(0, np.int32), False)[0]
    chain = 1
    other = page - back
    while True:  # how long the chain of lists is that this one is copied from
        _, step, _ = _head(words, number_at(starts, other), form)
        if not step:
            break
        other -= step
        chain += 1
    pages = np.empty(chain + 1, np.int64)
    pages[chain] = page
    for i in range(chain, 0, -1):
        pages[i - 1] = pages[i] - back
        _, back, _ = _head(words, number_at(starts, pages[i - 1]), form)
    row = np.empty(0, np.int32)
    for i in range(chain + 1):
        degree, back, position = _head(words, number_at(starts, pages[i]), form)
        row, _ = _row(words, position, form, pages[i], degree, row, back > 0)
    return row


@compiled
def _row(
    words: WordArray, position: int, form: OffsetArray, page: int, degree: int, copied: IntArray, is_copy: bool
) -> tuple[IntArray, int]:
    """The list of a page whose record goes on at `position`, and copies from that list if it is a copy; and where the
    record ends."""
    row = np.empty(degree, np.int32)
    if not degree:
        return row, position
    k = form[ZETA_K]
    count = 0  # of those copied, which are put at the end of the row
    if is_copy:
        count, position = _copy(words, position, form, copied, row)
        for i in range(count - 1, -1, -1):
            row[degree - count + i] = row[i]
    extra = degree - count
    intervals = 0
    if extra and form[MIN_INTERVAL]:
        intervals, position = read_gamma(words, position)
    lefts, lengths = np.empty(intervals, np.int64), np.empty(intervals, np.int64)
    last = page
    for i in range(intervals):
        gap, position = read_gamma(words, position)
        left = last + 1 + gap if i else page + (gap >> 1 if gap & 1 == 0 else -((gap + 1) >> 1))
        length, position = read_gamma(words, position)
        lefts[i], lengths[i] = left, length + form[MIN_INTERVAL]
        last = left + lengths[i]
        extra -= lengths[i]
    # Three ascending sequences become one: copied, intervals, and what is left, which is read as it is needed.
    place, old, interval, within = 0, degree - count, 0, 0
    number = np.int64(page)
    if extra:
        gap, position = read_code(words, position, form[RESIDUALS], k)
        number += gap >> 1 if gap & 1 == 0 else -((gap + 1) >> 1)
    while place < degree:
        least = number if extra else np.int64(1) << 40
        kind = 0
        if interval < intervals and lefts[interval] + within < least:
            least = lefts[interval] + within
            kind = 1
        if old < degree and row[old] < least:
            least = np.int64(row[old])
            kind = 2
        row[place] = least
        place += 1
        if kind == 2:
            old += 1
        elif kind == 1:
            within += 1
            if within == lengths[interval]:
                interval += 1
                within = 0
        else:
            extra -= 1
            if extra:
                gap, position = read_code(words, position, form[RESIDUALS], k)
                number += gap + 1
    return row, position


@compiled
def _copy(
    words: WordArray, position: int, form: OffsetArray, copied: IntArray, row: IntArray
) -> tuple[int, int]:
    """Copies blocks of a list to the beginning of the row; returns how many numbers, and where the record goes on."""
    blocks, position = read_code(words, position, form[BLOCK_COUNTS], form[ZETA_K])
    count, place = 0, 0
    for i in range(blocks + 1):
        if i < blocks:
            length, position = read_code(words, position, form[BLOCKS], form[ZETA_K])
            length += int(i > 0)
        else:
            length = len(copied) - place  # the last block is the rest
        if i & 1 == 0:
            for j in range(place, place + length):
                row[count] = copied[j]
                count += 1
        place += length
    return count, position


@compiled
def _rows_of(words: WordArray, starts: EliasFano, form: OffsetArray, pages: OffsetArray) -> Rows:
    offsets = np.zeros(len(pages) + 1, np.int64)
    for i in range(len(pages)):
        offsets[i + 1] = offsets[i] + _outdegree(words, starts, form, pages[i])
    targets = np.empty(offsets[-1], np.int32)
    for i in range(len(pages)):
        place = offsets[i]
        for target in _successors(words, starts, form, pages[i]):
            targets[place] = target
            place += 1
    return offsets, targets


@compiled
def _unpacked(words: WordArray, form: OffsetArray, page_count: int, link_count: int) -> Rows:
    """In the order of the records, so that the lists which are copied from are there."""
    offsets = np.zeros(page_count + 1, np.int64)
    targets = np.empty(link_count, np.int32)
    position = int(np.int64(0))
    for page in range(page_count):
        degree, back, after = _head(words, position, form)
        other = page - back
        copied = targets[offsets[other] : offsets[other + 1]] if back else targets[:0]
        offsets[page + 1] = offsets[page] + degree
        row, position = _row(words, after, form, page, degree, copied, back > 0)
        for i in range(degree):
            targets[offsets[page] + i] = row[i]
    return offsets, targets
