"""Counts the documents of each word and builds the arrays of a `Vocabulary`, in bounded memory. Pure.

The caller supplies the storage for rows that do not fit into memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import Final, Protocol

import numpy as np

from hinterland.search.arranged_phrases import ArraySink
from hinterland.search.vocabulary import MOST_LETTERS, distinct_words_in, folded, marks

MOST_WORDS: Final = 1 << 20
"""Maximum number of words. The words in most documents are kept; each takes about 40 bytes."""

_AT_ONCE: Final = 10_000

CountedWord = tuple[int, str, str, int, bool]
"""(letters of the folded word, folded word, word as written, documents, whether it occurs in a name)."""


class SortedRows(Protocol):
    """Storage that takes rows in any order and iterates over all of them in ascending order, any number of times."""

    def extend(self, items: Iterable[CountedWord], /) -> None:
        """Add rows."""

    def __iter__(self) -> Iterator[CountedWord]:
        """Iterate over all rows in ascending order."""


class DocumentFrequencies:
    """The number of documents of each word.

    About `most` words are held in memory at a time; `runs` stores the counts of the others.
    """

    def __init__(self, runs: SortedRows, known: Iterable[tuple[str, int]] = (), *, most: int = 1 << 16) -> None:
        """Start with the counts in `known`, pairs of (word, documents)."""
        self._runs = runs
        self._counts = Counter[str]()
        self._in_names: set[str] = set()
        self._most = most
        runs.extend(_row(word, count, True) for word, count in known)

    def add(self, names: str, text: str) -> None:
        """Count the words of one document.

        `names` holds the document's title, headings and anchor texts. Words in these are seldom misspelt.
        """
        named = distinct_words_in(names)
        self._in_names |= named
        self._counts.update(named | distinct_words_in(text))
        if len(self._counts) > self._most:
            self._give_away()

    def __iter__(self) -> Iterator[tuple[str, str, int]]:
        """Yield (folded word, word as written, documents), by the length of the folded word, then alphabetically.

        Words that occur in one document only are left out, unless they occur in a title, heading or anchor text.
        """
        self._give_away()
        for (_, key, word), rows in groupby(self._runs, itemgetter(0, 1, 2)):
            count, is_named = 0, False
            for *_, documents, in_name in rows:
                count += documents
                is_named |= in_name
            if is_named or count > 1:
                yield key, word, count

    def _give_away(self) -> None:
        self._runs.extend(_row(word, count, word in self._in_names) for word, count in self._counts.items())
        self._counts.clear()
        self._in_names.clear()


def _row(word: str, count: int, is_named: bool) -> CountedWord:
    key = folded(word)
    return len(key), key, word, count, is_named


def arrange_words(words: Iterable[tuple[str, str, int]], put: ArraySink, most: int = MOST_WORDS) -> None:
    """Build the arrays of a `Vocabulary` from what `DocumentFrequencies` yields, and give them to `put`.

    Words that differ only in accents count as one word, in the spelling that most documents use. If there are more than
    `most` words, the words in the fewest documents are left out. `words` is iterated over twice.
    """
    least = _least_count((count for _, _, count in _together(words)), most)
    put("begins", np.zeros(1, np.int64))
    coming = (word for word in _together(words) if word[2] >= least)
    begin = place = written = 0
    while True:  # at least once, so that empty arrays are written
        part = list(islice(coming, _AT_ONCE))
        letters = np.frombuffer("".join(key for key, _, _ in part).encode("utf-16-le"), np.uint16)
        begins = np.cumsum([0, *(len(key) for key, _, _ in part)], dtype=np.int64)
        accented = [(place + number, word) for number, (key, word, _) in enumerate(part) if word != key]
        put("letters", letters)
        put("begins", begin + begins[1:])
        put("counts", np.array([count for _, _, count in part], np.uint32))
        put("marks", marks(letters, begins))
        put("accented", np.array([number for number, _ in accented], np.int64))
        lines = "\n".join(["", *(word for _, word in accented)]).encode()
        put("written", np.frombuffer(lines if written else lines[1:], np.uint8))
        begin, place, written = begin + int(begins[-1]), place + len(part), written + len(accented)
        if len(part) < _AT_ONCE:
            return


def _together(words: Iterable[tuple[str, str, int]]) -> Iterator[tuple[str, str, int]]:
    """Merge words that fold to the same letters: yield (folded word, most frequent spelling, documents)."""
    for key, of_one in groupby(words, itemgetter(0)):
        if 0 < len(key) <= MOST_LETTERS:
            spellings = [(count, word) for _, word, count in of_one]
            yield key, max(spellings)[1], sum(count for count, _ in spellings)


def _least_count(counts: Iterable[int], most: int) -> int:
    """Return the smallest count that at most `most` words reach or exceed."""
    having = Counter(counts)
    left = sum(having.values()) - most
    for count in sorted(having):
        if left <= 0:
            return count
        left -= having[count]
    return 1 + max(having, default=0)
