"""Writes a graph as WebGraph's BvGraph. Each list is copied from the previous list that makes its record shortest."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import IntArray, OffsetArray, Rows
from hinterland.lab.connectivity.bit_codes import GAMMA, WordArray, code_length, write_code
from hinterland.lab.connectivity.bv_form import (
    BLOCK_COUNTS,
    BLOCKS,
    MIN_INTERVAL,
    OUTDEGREES,
    REFERENCES,
    RESIDUALS,
    RESTART_INTERVAL,
    ZETA_K,
    BvForm,
)


def encoded(rows: Rows, form: BvForm) -> tuple[WordArray, OffsetArray]:
    """Return the words of a graph, and the bit at which each page begins.

    The successors of each page must ascend. The starts have shape (n + 1,); the last one is the end.
    """
    words, starts = _encoded(rows[0], rows[1], form.window, form.max_references, form.numbers)
    return words[: (int(starts[-1]) + 63) // 64 + 1], starts


def gaps_encoded(starts: OffsetArray, code: int) -> tuple[WordArray, int]:
    """Return the offsets file as words, and its size in bits. It holds 0 and the length of each record."""
    return _gaps_encoded(np.diff(starts, prepend=0), code, 0)


@compiled
def _encoded(
    offsets: OffsetArray, targets: IntArray, window: int, max_references: int, form: OffsetArray
) -> tuple[WordArray, OffsetArray]:
    n = len(offsets) - 1
    longest = 0
    for page in range(n):
        longest = max(longest, offsets[page + 1] - offsets[page])
    room = 4 * longest + 8
    values, codes = np.empty(room, np.int64), np.empty(room, np.int64)
    best_values, best_codes = np.empty(room, np.int64), np.empty(room, np.int64)
    extras = np.empty(longest, np.int32)
    references = np.zeros(n, np.int32)  # how long the chain is that ends at a page
    words = np.zeros(1024, np.uint64)
    starts = np.zeros(n + 1, np.int64)
    position = int(np.int64(0))
    for page in range(n):
        starts[page] = position
        row = targets[offsets[page] : offsets[page + 1]]
        best_length, best_size, best_back = int(np.int64(-1)), 0, 0
        for back in range(min(window, page % form[RESTART_INTERVAL]) + 1):
            other = page - back
            copied = targets[offsets[other] : offsets[other + 1]] if back else targets[:0]
            if back and (references[other] >= max_references or not len(copied)):
                continue
            size = _described(
                page=page,
                back=back,
                row=row,
                copied=copied,
                window=window,
                form=form,
                values=values,
                codes=codes,
                extras=extras,
            )
            length = int(np.int64(0))
            for i in range(size):
                length += code_length(values[i], codes[i], form[ZETA_K])
            if best_length < 0 or length < best_length:
                best_length, best_size, best_back = length, size, back
                values, best_values = best_values, values
                codes, best_codes = best_codes, codes
            if not len(row):
                break
        references[page] = references[page - best_back] + 1 if best_back else 0
        while position + best_length + 128 > 64 * len(words):
            words = np.concatenate((words, np.zeros_like(words)))
        for i in range(best_size):
            position = write_code(words, position, best_values[i], best_codes[i], form[ZETA_K])
    starts[n] = position
    return words, starts


@compiled
def _described(
    page: int,
    back: int,
    row: IntArray,
    copied: IntArray,
    window: int,
    form: OffsetArray,
    values: OffsetArray,
    codes: OffsetArray,
    extras: IntArray,
) -> int:
    """Write the numbers of a page's record to `values` and their codes to `codes`, and return how many there are.

    Some links are copied from the list of the page `back` pages before; 0 means that no list is copied. `extras` is
    scratch space for a list.
    """
    values[0], codes[0] = len(row), form[OUTDEGREES]
    size = 1
    if not len(row):
        return size
    if window:
        values[size], codes[size] = back, form[REFERENCES]
        size += 1
    extra = 0
    if back:
        head = size
        codes[head] = form[BLOCK_COUNTS]
        size += 1
        i, j, block, is_copying = 0, 0, 0, True
        while i < len(row) and j < len(copied):
            if row[i] < copied[j]:
                extras[extra] = row[i]
                extra += 1
                i += 1
            elif (row[i] == copied[j]) == is_copying:
                i += int(is_copying)
                j += 1
                block += 1
            else:
                values[size], codes[size] = block - int(size > head + 1), form[BLOCKS]
                size += 1
                is_copying = not is_copying
                block = 0
        if is_copying and j < len(copied):  # else what is left is as the reader takes it to be
            values[size], codes[size] = block - int(size > head + 1), form[BLOCKS]
            size += 1
        values[head] = size - head - 1
        while i < len(row):
            extras[extra] = row[i]
            extra += 1
            i += 1
    else:
        for i in range(len(row)):
            extras[i] = row[i]
        extra = len(row)
    if not extra:
        return size
    if form[MIN_INTERVAL]:
        size, extra = _intervals_described(
            page=page, extras=extras, extra=extra, shortest=form[MIN_INTERVAL], values=values, codes=codes, size=size
        )
    last = page
    for i in range(extra):
        gap = extras[i] - last
        values[size] = gap - 1 if i else 2 * gap if gap >= 0 else -2 * gap - 1
        codes[size] = form[RESIDUALS]
        size += 1
        last = extras[i]
    return size


@compiled
def _intervals_described(
    page: int, extras: IntArray, extra: int, shortest: int, values: OffsetArray, codes: OffsetArray, size: int
) -> tuple[int, int]:
    """Move intervals from `extras` into the record; return the new number of extras and the new size of the record."""
    head = size
    codes[head] = GAMMA
    size += 1
    intervals, left, i = 0, 0, 0
    last = page
    while i < extra:
        end = i + 1
        while end < extra and extras[end] == extras[end - 1] + 1:
            end += 1
        if end - i >= shortest:
            gap = extras[i] - last
            values[size] = gap - 1 if intervals else 2 * gap if gap >= 0 else -2 * gap - 1
            values[size + 1] = end - i - shortest
            codes[size] = codes[size + 1] = GAMMA
            size += 2
            intervals += 1
            last = extras[end - 1] + 1
        else:
            for place in range(i, end):
                extras[left] = extras[place]
                left += 1
        i = end
    values[head] = intervals
    return size, left


@compiled
def _gaps_encoded(gaps: OffsetArray, code: int, k: int) -> tuple[WordArray, int]:
    length = int(np.int64(0))
    for gap in gaps:
        length += code_length(gap, code, k)
    words = np.zeros(length // 64 + 2, np.uint64)
    position = int(np.int64(0))
    for gap in gaps:
        position = write_code(words, position, gap, code, k)
    return words, position
