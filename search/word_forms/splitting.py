"""Splits compounds, such as `Fehlerbehandlung`, into words that the index knows. Pure.

No dictionary is needed: the words of the pages are the dictionary, and their document frequencies decide. Of all splits
into known words, the one with the highest geometric mean of their frequencies is chosen, and a compound that is much
more frequent than that mean stays whole (after Koehn & Knight 2003). No list of the letters between parts is needed
either, such as the s in `Verbindungsfehler`: the stemmer removes them, since words can end with the same letters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

COMPOUNDING: Final = ("da", "de", "fi", "nl", "no", "sv")
"""Languages that write compounds as one word and whose stemmers remove the letters between their parts."""
LEAST_PART: Final = 4
"""Letters that each part has to have; shorter words, such as `ein` and `los`, are mostly prefixes and suffixes."""
LEAST_COMPOUND: Final = 2 * LEAST_PART


class Split(NamedTuple):
    """The parts of a word."""

    parts: tuple[str, ...]
    """The terms of its parts, in order."""
    product: float
    """The product of their numbers of documents."""

    @property
    def mean(self) -> float:
        """The geometric mean of the numbers of documents of its parts."""
        return float(self.product ** (1 / len(self.parts)))


_MOST_TIMES: Final = 2
"""A compound in more documents than this many times the mean of its parts stays whole."""
_UNKNOWN: Final = Split((), 0.0)


class Splitter:
    """Splits the words of one language."""

    def __init__(
        self,
        stem: Callable[[str], str],
        documents: Callable[[str], int],
        is_function_word: Callable[[str], bool],
    ) -> None:
        """Start with an index.

        `stem` returns the term of a word in lower case, `documents` the number of documents with a term.
        """
        self.stem = stem
        self._documents = documents
        self._is_function_word = is_function_word
        self._beginnings = dict[str, Split]()
        self._ends = dict[str, int]()

    def parts(self, word: str, term: str, lasts: Callable[[str], Sequence[str]] | None = None) -> tuple[str, ...]:
        """Return the terms of the parts of a word; empty if it is not a compound of known words.

        `term` is the term of the whole word. `lasts` returns the terms that the end of the word may stand for; by
        default, this is only its stem.
        """
        split = self._best(word, term, lasts or self._stemmed)
        return split.parts if split.parts and _MOST_TIMES * split.mean >= self._documents(term) else ()

    def _stemmed(self, letters: str) -> Sequence[str]:
        return (self.stem(letters),)

    def _best(self, word: str, term: str, lasts: Callable[[str], Sequence[str]]) -> Split:
        """Return the split with the highest mean.

        The end of the word has to be a known word. Its beginning is split only if it is not a known word itself.
        """
        best = _UNKNOWN
        for place in range(LEAST_PART, len(word) - LEAST_PART + 1):
            for last in lasts(word[place:]):
                documents = self._documents_with(last) if last != term else 0
                if documents and (first := self._beginning(word[:place])).parts:
                    split = Split((*first.parts, last), first.product * documents)
                    if not best.parts or split.mean > best.mean:
                        best = split
        return best

    def _beginning(self, letters: str) -> Split:
        """Return the parts of the first letters of a word.

        If these letters are a known word, it is the only part. Otherwise, the parts are those of the best split.
        """
        if letters not in self._beginnings:
            term = self.stem(letters)
            documents = self._documents(term)
            if documents and self._is_function_word(letters):
                documents = 0
            self._beginnings[letters] = (
                Split((term,), documents) if documents else self._best(letters, term, self._stemmed)
            )
        return self._beginnings[letters]

    def _documents_with(self, last: str) -> int:
        if last not in self._ends:
            documents = self._documents(last)
            self._ends[last] = 0 if documents and self._is_function_word(last) else documents
        return self._ends[last]
