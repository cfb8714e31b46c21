"""Reads a graph in WebGraph's BvGraph format, list by list, since parts of a list may be copied from earlier lists."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.copying import copy_into
from hinterland.analysis.graph import IntArray, OffsetArray, Rows
from hinterland.lab.connectivity.bit_codes import WordArray, read_code, read_gamma
from hinterland.lab.connectivity.bv_form import (
    BLOCK_COUNTS,
    BLOCKS,
    MIN_INTERVAL,
    OUTDEGREES,
    REFERENCES,
    RESIDUALS,
    RESTART_INTERVAL,
    ZETA_K,
)
from hinterland.lab.connectivity.elias_fano import EliasFano, number_at

_ROOM = 64


@compiled
def row_of(words: WordArray, starts: EliasFano, form: OffsetArray, page: int) -> IntArray:
    """Return the links of one page. `starts` holds the bit at which each group of pages begins."""
    group = page // form[RESTART_INTERVAL]
    first = group * form[RESTART_INTERVAL]
    offsets, targets = np.zeros(page - first + 2, np.int64), np.empty(_ROOM, np.int32)
    _, targets = _read(
        words=words,
        position=number_at(starts, group),
        form=form,
        first=first,
        begin=0,
        end=page - first + 1,
        offsets=offsets,
        targets=targets,
    )
    return targets[offsets[page - first] : offsets[page - first + 1]].copy()


@compiled
def rows_of(words: WordArray, starts: EliasFano, form: OffsetArray, pages: OffsetArray) -> Rows:
    """Return the links of many pages; the links of pages[i] are targets[offsets[i]:offsets[i + 1]].

    A group is read only once if successive `pages` are in this group and ascend.
    """
    together = form[RESTART_INTERVAL]
    offsets, targets = np.zeros(len(pages) + 1, np.int64), np.empty(_ROOM, np.int32)
    group, count, position = -1, 0, int(np.int64(0))  # how many pages of which group have been read, and up to where
    group_offsets, group_targets = np.zeros(together + 1, np.int64), np.empty(_ROOM, np.int32)
    for i in range(len(pages)):
        if pages[i] // together != group:
            group, count = pages[i] // together, 0
            position = number_at(starts, group)
        place = pages[i] - group * together
        if place >= count:
            position, group_targets = _read(
                words=words,
                position=position,
                form=form,
                first=group * together,
                begin=count,
                end=place + 1,
                offsets=group_offsets,
                targets=group_targets,
            )
            count = place + 1
        row = group_targets[group_offsets[place] : group_offsets[place + 1]]
        offsets[i + 1] = offsets[i] + len(row)
        targets = _with_room(targets, offsets[i], offsets[i + 1])
        copy_into(targets, offsets[i], row)
    return offsets, targets[: offsets[-1]].copy()


@compiled
def all_rows(words: WordArray, form: OffsetArray, page_count: int, link_count: int) -> Rows:
    """Return the links of all pages, as offsets and targets."""
    offsets, targets = np.zeros(page_count + 1, np.int64), np.empty(link_count, np.int32)
    _, targets = _read(
        words=words,
        position=int(np.int64(0)),
        form=form,
        first=0,
        begin=0,
        end=page_count,
        offsets=offsets,
        targets=targets,
    )
    return offsets, targets


@compiled
def record_starts(words: WordArray, form: OffsetArray, page_count: int) -> OffsetArray:
    """Return the bit at which the record of each page begins, and the end of the last, shape (n + 1,)."""
    together = form[RESTART_INTERVAL]
    starts = np.zeros(page_count + 1, np.int64)
    offsets, targets = np.zeros(together + 1, np.int64), np.empty(_ROOM, np.int32)
    position = int(np.int64(0))
    for page in range(page_count):
        place = page % together
        position, targets = _read(
            words=words,
            position=position,
            form=form,
            first=page - place,
            begin=place,
            end=place + 1,
            offsets=offsets,
            targets=targets,
        )
        starts[page + 1] = position
    return starts


@compiled
def _read(
    words: WordArray,
    position: int,
    form: OffsetArray,
    first: int,
    begin: int,
    end: int,
    offsets: OffsetArray,
    targets: IntArray,
) -> tuple[int, IntArray]:
    """Read the pages from first + begin to first + end. The record of the first of them begins at `position`.

    `offsets` and `targets` already hold the pages from `first` on; the pages that are read are appended. Returns the
    position of the next record, and the targets, which may be a new, longer array.
    """
    nothing = np.empty(0, np.int64)
    for place in range(begin, end):
        degree, position = read_code(words, position, form[OUTDEGREES], form[ZETA_K])
        offsets[place + 1] = offsets[place] + degree
        if not degree:
            continue
        targets = _with_room(targets, offsets[place], offsets[place + 1])
        back = 0
        if form[REFERENCES] >= 0:
            back, position = read_code(words, position, form[REFERENCES], form[ZETA_K])
        other = place - back
        copied = targets[offsets[other] : offsets[other + 1]] if back else targets[:0]
        row = targets[offsets[place] : offsets[place + 1]]
        position = _row(
            words=words,
            position=position,
            form=form,
            page=first + place,
            copied=copied,
            is_copy=back > 0,
            row=row,
            nothing=nothing,
        )
    return position, targets


@compiled
def _with_room(targets: IntArray, used: int, needed: int) -> IntArray:
    if needed <= len(targets):
        return targets
    larger = np.empty(max(needed, 2 * len(targets)), np.int32)
    copy_into(larger, 0, targets[:used])
    return larger


@compiled
def _row(
    words: WordArray,
    position: int,
    form: OffsetArray,
    page: int,
    copied: IntArray,
    is_copy: bool,
    row: IntArray,
    nothing: OffsetArray,
) -> int:
    """Fill `row` with the links of a page, and return the position after its record.

    At `position`, the number of links and the reference have already been read. If `is_copy`, some links are taken from
    the list `copied`. `nothing` is an empty array. It is passed because creating one for each row would take as long as
    reading a link.
    """
    degree, k = len(row), form[ZETA_K]
    count = 0  # of copied links, which are put at the end of the row
    if is_copy:
        count, position = _copy(words, position, form, copied, row)
        for i in range(count - 1, -1, -1):
            row[degree - count + i] = row[i]
    extra = degree - count
    intervals = 0
    if extra and form[MIN_INTERVAL]:
        intervals, position = read_gamma(words, position)
    lefts, lengths = nothing, nothing
    if intervals:
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
    return position


@compiled
def _copy(words: WordArray, position: int, form: OffsetArray, copied: IntArray, row: IntArray) -> tuple[int, int]:
    """Copy blocks of a list to the beginning of the row. Return how many numbers were copied, and the next position."""
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
