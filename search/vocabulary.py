"""The words of an index as written, for finding words that are close to a misspelt word. Pure.

The terms of the index are stems, which cannot be shown to users. The letters of all words, without accents, are kept in
one array, ordered by word length, with a bit mask of the letters of each word. One edit sets at most one bit and clears
at most one. So comparing the masks of all words of about the right length leaves a few dozen candidates out of a
million words, whose edit distances are then computed together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.search.store.letters import plain_letters

LEAST_LETTERS: Final = 3
MOST_LETTERS: Final = 30

_WORD: Final = re.compile(rf"(?<!\w)[^\W\d_]{{{LEAST_LETTERS},{MOST_LETTERS}}}(?!\w)")
_SIGN_BY_SIGN: Final = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\uffff]")
"""Scripts without spaces, whose characters are words, and characters that nobody types."""
_BITS: Final = 64


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case.

    Words consist of letters only; identifiers such as `a_b` are left out.
    """
    words = _WORD.findall(plain_letters(text).lower())
    if not text.isascii():
        words = [
            word if word.isascii() else unicodedata.normalize("NFC", word)
            for word in words
            if word.isascii() or not _SIGN_BY_SIGN.search(word)
        ]
    return words


def distinct_words_in(text: str) -> set[str]:
    """Return the distinct words of a text as `words_in` finds them, in half the time."""
    return set(words_in(" ".join(dict.fromkeys(text.split()))))


def folded(word: str) -> str:
    """Return the word in lower case without accents, as in the index."""
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFKD", plain_letters(word).lower())
    return "".join(letter for letter in apart if not unicodedata.combining(letter) and ord(letter) < 1 << 16)


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word that the user may have meant by a misspelt word."""

    word: str
    edits: int
    """Insertions, deletions, substitutions and swaps of adjacent letters (optimal string alignment)."""
    documents: int
    """Number of documents that have it."""


class Vocabulary:
    """Words, found by their letters.

    Takes 2 bytes of memory per letter and 24 per word.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Wrap the arrays that `document_frequencies.arrange_words` builds."""
        self.arrays = arrays
        self._letters = arrays["letters"]
        self._begins = arrays["begins"]
        self._counts = arrays["counts"]
        self._marks = arrays["marks"]
        self._accented = arrays["accented"]
        self._lengths = np.diff(self._begins)
        self._most = int(self._counts.max(initial=0))
        self._written: list[str] | None = None

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self._counts)

    def counts(self) -> Iterator[tuple[str, int]]:
        """Yield (word as written, number of documents)."""
        for place, count in enumerate(self._counts):
            yield self._word(place), int(count)

    def near(self, word: str, most_edits: int, least_documents: int = 0) -> list[NearWord]:
        """Return the other words within `most_edits` edits of `word`, in at least `least_documents` documents.

        Words with the fewest edits come first. Words with equally many edits are ordered by their number of documents,
        the most frequent first.
        """
        if least_documents > self._most:
            return []
        asked = np.frombuffer(folded(word).encode("utf-16-le"), np.uint16)
        places = self._alike(asked, most_edits, least_documents)
        edits = self._edits(asked, places) if most_edits > 1 else self._one_or_none(asked, places)
        is_near = (edits <= most_edits) & (edits > 0)
        places, edits = places[is_near], edits[is_near]
        order = np.lexsort((-self._counts[places].astype(np.int64), edits))
        return [
            NearWord(self._word(place), edit, int(self._counts[place]))
            for place, edit in zip(places[order].tolist(), edits[order].tolist(), strict=True)
        ]

    def _alike(self, asked: NDArray[np.uint16], most_edits: int, least_documents: int) -> NDArray[np.int64]:
        """Return the indices of words with about the right length and letters.

        If a word is n letters longer, n of the edits are insertions, so only the other edits can remove a letter.
        """
        mark = marks(asked, np.array([0, len(asked)], np.int64))[0]
        begin, end = np.searchsorted(self._lengths, [len(asked) - most_edits, len(asked) + most_edits + 1]).tolist()
        few = begin + np.flatnonzero(np.bitwise_count(self._marks[begin:end] ^ mark) <= 2 * most_edits)
        if least_documents:
            few = few[self._counts[few] >= least_documents]
        longer = self._lengths[few] - len(asked)
        others = self._marks[few]
        is_alike = np.bitwise_count(others & ~mark) <= most_edits + np.minimum(longer, 0)
        is_alike &= np.bitwise_count(mark & ~others) <= most_edits - np.maximum(longer, 0)
        return np.asarray(few[is_alike], np.int64)

    def _word(self, place: int) -> str:
        index = int(np.searchsorted(self._accented, place))
        if index < len(self._accented) and self._accented[index] == place:
            if self._written is None:
                self._written = self.arrays["written"].tobytes().decode().split("\n")
            return self._written[index]
        letters = self._letters[self._begins[place] : self._begins[place + 1]]
        return str(letters.tobytes().decode("utf-16-le"))

    def _one_or_none(self, asked: NDArray[np.uint16], places: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the edit distance of each word, shape (k,), with 2 for any distance above 1.

        Common prefixes and suffixes are compared, since a single edit lies between them. This takes a third of the time
        that a full table of distances takes.
        """
        lengths = self._lengths[places]
        longest = np.maximum(lengths, len(asked))
        words = self._spelt(places, lengths, len(asked) + 1)
        from_end = self._letters[np.maximum(self._begins[places + 1][:, None] - 1 - np.arange(len(asked)), 0)]
        starts = np.logical_and.accumulate(words[:, : len(asked)] == asked, axis=1).sum(axis=1)
        ends = np.logical_and.accumulate(from_end == asked[::-1], axis=1).sum(axis=1)
        edits = np.where(starts + ends >= longest - 1, 1, 2)
        edits[(starts == len(asked)) & (lengths == len(asked))] = 0
        crossed = np.flatnonzero((starts + ends == len(asked) - 2) & (lengths == len(asked)))
        at = starts[crossed]
        is_exchanged = (words[crossed, at] == asked[at + 1]) & (words[crossed, at + 1] == asked[at])
        edits[crossed[is_exchanged]] = 1
        return np.asarray(edits, np.int8)

    def _spelt(self, places: NDArray[np.int64], lengths: NDArray[np.int64], width: int) -> NDArray[np.uint16]:
        """Return the letters of these words, padded with 0, shape (k, width)."""
        columns = np.arange(width)
        padded = np.minimum(self._begins[places][:, None] + columns, len(self._letters) - 1)
        return np.asarray(np.where(columns < lengths[:, None], self._letters[padded], 0), np.uint16)

    def _edits(self, asked: NDArray[np.uint16], places: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the edit distance of each word, shape (k,).

        The distance tables of all words are computed together, row by row.
        """
        lengths = self._lengths[places]
        width = int(lengths.max(initial=0))
        words = self._spelt(places, lengths, width)
        steps = np.arange(width + 1, dtype=np.int8)
        before = last = np.broadcast_to(steps, (len(places), width + 1))
        for row, letter in enumerate(asked.tolist()):
            costs = np.empty((len(places), width + 1), np.int8)
            costs[:, 0] = row + 1
            costs[:, 1:] = np.minimum(last[:, 1:] + 1, last[:, :-1] + (words != letter))
            if row:
                is_exchanged = (words[:, :-1] == letter) & (words[:, 1:] == asked[row - 1])
                exchanged = before[:, :-2] + np.where(is_exchanged, 1, 2 * MOST_LETTERS).astype(np.int8)
                np.minimum(costs[:, 2:], exchanged, out=costs[:, 2:])
            costs = np.minimum.accumulate(costs - steps, axis=1) + steps  # insertions
            before, last = last, costs
        return np.asarray(last[np.arange(len(places)), lengths], np.int8)


def marks(letters: NDArray[np.uint16], begins: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a bit mask of the letters of each word, shape (words,).

    `letters` holds the letters of all words in a row. `begins` has the index of the first letter of each word, and the
    total number of letters at its end.
    """
    bits = np.left_shift(np.uint64(1), (letters % _BITS).astype(np.uint64))
    if not len(bits):
        return np.zeros(len(begins) - 1, np.uint64)
    return np.asarray(np.bitwise_or.reduceat(bits, begins[:-1]), np.uint64)
