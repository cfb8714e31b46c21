"""Builds the arrays of `Suggestions` from any number of phrases in bounded memory. Pure.

The caller supplies a function that sorts, in memory or on disk. This module only holds a chunk of each array and the
spellings of one phrase in memory.
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
"""Maximum number of phrases; the heaviest are kept. Each takes about 170 bytes: 16 for every word, plus its text."""

_MOST_PAGES: Final = 5
"""A heading that occurs on more pages than this, such as "Description", describes none of them and is dropped."""
_LATER_WORD: Final = 0.5
"""The factor on the weight of a phrase that is found by a word other than its first."""
_AT_ONCE: Final = 10_000

_ENTRY: Final = Struct(f">{KEY}sIBf")
_ENTRIES: Final = np.dtype([("key", ">u8"), ("phrase", ">u4"), ("word", "u1"), ("weight", ">f4")])
"""One word of a phrase. The byte order of entries is the order of their keys, phrases and words."""

Item = TypeVar("Item", bound=tuple[Any, ...] | bytes)

Weighed = tuple[str, str, int, float, bool]
"""A name of a page: (folded phrase, phrase, its number in order of arrival, weight, whether it is a heading)."""


class Sorter(Protocol):
    """A sort with the signature of `sorted`, such as an external merge sort."""

    def __call__(self, items: Iterable[Item], /) -> Iterable[Item]:
        """Return the items in ascending order."""


class ArraySink(Protocol):
    """Receives arrays in chunks."""

    def __call__(self, name: str, part: NDArray[Any], /) -> None:
        """Append `part` to the array called `name`."""


def arrange(phrases: Iterable[Weighed], in_order: Sorter, put: ArraySink, most: int = MOST_PHRASES) -> None:
    """Build the arrays of `Suggestions` from the `most` heaviest phrases, and give them to `put`.

    Phrases that differ only in case, accents or spaces count as one phrase. It is shown in its heaviest spelling, and
    its weight is the sum of all weights. Phrases of equal weight keep the order in which `phrases` yields them.
    `in_order` sorts; it may use the disk.
    """
    put("text", np.empty(0, np.uint8))
    put("begins", np.zeros(1, np.int64))
    heaviest = islice(in_order(_together(in_order(phrases))), most)
    entries = iter(in_order(_entries(_texts_put(heaviest, put))))
    while True:  # at least once, so that empty arrays are written
        part = np.frombuffer(b"".join(islice(entries, _AT_ONCE)), _ENTRIES)
        put("keys", part["key"].astype(np.uint64))
        put("phrases", part["phrase"].astype(np.uint32))
        put("weights", part["weight"].astype(np.float32))
        if len(part) < _AT_ONCE:
            return


def _together(phrases: Iterable[Weighed]) -> Iterator[tuple[float, int, str]]:
    """Yield (negative weight, number, phrase) for each distinct folded phrase.

    `phrases` must be sorted.
    """
    for _, of_one in groupby(phrases, itemgetter(0)):
        spellings = sorted(filter(None, (_spelling(rows) for _, rows in groupby(of_one, itemgetter(1)))))
        if spellings:
            _, shown = max((weight, phrase) for _, weight, phrase in spellings)
            yield -sum(weight for _, weight, _ in spellings), spellings[0][0], shown


def _spelling(rows: Iterable[Weighed]) -> tuple[int, float, str] | None:
    """Merge the rows of one spelling into (first number, total weight, phrase).

    If the phrase is a heading of many pages, headings add nothing to its weight. Returns None if no weight is left.
    """
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
    """Write the texts of phrases to `put` and yield (phrase, weight)."""
    coming, end = iter(heaviest), 0
    while part := list(islice(coming, _AT_ONCE)):
        texts = [phrase.encode("utf-8", "replace") for _, _, phrase in part]
        ends = end + np.cumsum([len(text) for text in texts], dtype=np.int64)
        put("text", np.frombuffer(b"".join(texts), np.uint8))
        put("begins", ends)
        end = int(ends[-1])
        yield from ((phrase, -weight) for weight, _, phrase in part)


def _entries(phrases: Iterable[tuple[str, float]]) -> Iterator[bytes]:
    """Yield one packed entry for each word of each phrase."""
    for place, (phrase, weight) in enumerate(phrases):
        key = folded(phrase)
        for word, start in enumerate(starts(key)):
            begin = key[start : start + KEY].encode("utf-8", "replace")
            yield _ENTRY.pack(begin, place, word, weight if not start else _LATER_WORD * weight)
