"""The arrays that phrases are found by, made of any number of phrases a part at a time. Pure.

What is to be sorted is given to whoever sorts, in memory or on disk. Here no more is held than a part of each array,
and the spellings of one phrase.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from struct import Struct
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hinterland.search.suggestions import KEY, folded, starts

MOST_PHRASES: Final = 1_000_000
"""The heaviest. Each takes about 170 bytes, 16 for every word and its text."""

_MOST_PAGES: Final = 5
"""A heading that more pages have, such as "Description", says nothing of any."""
_LATER_WORD: Final = 0.5
"""The weight of a phrase that is found by another word than its first, in that of one found by its first."""
_AT_ONCE: Final = 10_000

_ENTRY: Final = Struct(f">{KEY}sIBf")
_ENTRIES: Final = np.dtype([("key", ">u8"), ("phrase", ">u4"), ("word", "u1"), ("weight", ">f4")])
"""A word of a phrase, so that entries as bytes have the order of their keys, phrases and words."""

Item = TypeVar("Item", bound=tuple[Any, ...] | bytes)

Weighed = tuple[str, str, int, float, bool]
"""(folded, phrase, its number as it came, weight, whether it is a heading): what a page is called."""


class Sorter(Protocol):
    """`sorted`, or what does the same with more than memory holds."""

    def __call__(self, items: Iterable[Item], /) -> Iterable[Item]: ...


class ArraySink(Protocol):
    """Takes the next part of the array of that name."""

    def __call__(self, name: str, part: NDArray[Any], /) -> None: ...


def arrange(phrases: Iterable[Weighed], in_order: Sorter, put: ArraySink, most: int = MOST_PHRASES) -> None:
    """Make the arrays of `Suggestions` of the heaviest phrases. Of those that differ in capitals, accents or spaces
    alone the heaviest is shown, with the weight of all; of equal ones the first to come goes first.
    """
    put("text", np.empty(0, np.uint8))
    put("begins", np.zeros(1, np.int64))
    heaviest = islice(in_order(_together(in_order(phrases))), most)
    entries = iter(in_order(_entries(_texts_put(heaviest, put))))
    while True:  # once at least, so that there are arrays
        part = np.frombuffer(b"".join(islice(entries, _AT_ONCE)), _ENTRIES)
        put("keys", part["key"].astype(np.uint64))
        put("phrases", part["phrase"].astype(np.uint32))
        put("weights", part["weight"].astype(np.float32))
        if len(part) < _AT_ONCE:
            return


def _together(phrases: Iterable[Weighed]) -> Iterator[tuple[float, int, str]]:
    """(weight below 0, number, phrase) of those that are one when they are folded. phrases: in order."""
    for _, of_one in groupby(phrases, itemgetter(0)):
        spellings = sorted(filter(None, (_spelling(rows) for _, rows in groupby(of_one, itemgetter(1)))))
        if spellings:
            _, shown = max((weight, phrase) for _, weight, phrase in spellings)
            yield -sum(weight for _, weight, _ in spellings), spellings[0][0], shown


def _spelling(rows: Iterable[Weighed]) -> tuple[int, float, str] | None:
    """(number of the first, weight of all, phrase) of equal phrases in order; None if it is but a common heading."""
    first, phrase, total, without, headings = -1, "", 0.0, 0.0, 0
    for row in rows:
        _, phrase, number, weight, is_heading = row
        first = number if first < 0 else first
        total += weight
        if is_heading:
            headings += 1
        else:
            without += weight
    weight = without if headings > _MOST_PAGES else total
    return (first, weight, phrase) if weight else None


def _texts_put(heaviest: Iterable[tuple[float, int, str]], put: ArraySink) -> Iterator[tuple[str, float]]:
    """The phrases and their weights as they come, when their texts are put."""
    coming, end = iter(heaviest), 0
    while part := list(islice(coming, _AT_ONCE)):
        texts = [phrase.encode("utf-8", "replace") for _, _, phrase in part]
        ends = end + np.cumsum([len(text) for text in texts], dtype=np.int64)
        put("text", np.frombuffer(b"".join(texts), np.uint8))
        put("begins", ends)
        end = int(ends[-1])
        yield from ((phrase, -weight) for weight, _, phrase in part)


def _entries(phrases: Iterable[tuple[str, float]]) -> Iterator[bytes]:
    for place, (phrase, weight) in enumerate(phrases):
        key = folded(phrase)
        for word, start in enumerate(starts(key)):
            begin = key[start : start + KEY].encode("utf-8", "replace")
            yield _ENTRY.pack(begin, place, word, weight if not start else _LATER_WORD * weight)
