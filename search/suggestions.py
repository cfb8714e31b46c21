"""Completions of a partly typed query from titles, headings, link texts and identifiers. Pure.

Every phrase has one entry for each of its words in a sorted array, keyed by the first eight bytes from that word on.
The entries that begin with the typed letters are a contiguous range of the array, found by two binary searches. For
each block of 64 entries, the heaviest one is stored. In a long range, only the `n` blocks with the heaviest entries are
read, because the `n` heaviest entries are in these blocks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.search.store.letters import plain_letters
from hinterland.search.store.values.arrays import LongArray

KEY: Final = 8
"""Length of an entry's key in bytes."""

_MOST_WORDS: Final = 8
"""Maximum number of words by which a phrase is found."""
_BLOCK: Final = 64
_TRIES: Final = (64, 2_048)
"""How many of the heaviest entries with a matching key are compared in full: at first the lower number, then the higher
one if too few match.
"""
_MOST_ENTRIES: Final = 200_000
"""Maximum number of entries of the rarest word that are checked for the other words."""

_WORD: Final = re.compile(r"(?<![^\W_])[^\W_]")
_SPACE: Final = re.compile(r"\s+")


def folded(text: str) -> str:
    """Return the text in the form used for comparison: lower case, without accents, with single spaces."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", plain_letters(text).casefold())
        text = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return _SPACE.sub(" ", text.lower()).lstrip()


class Suggestions:
    """Phrases, found by the beginnings of their words. Thread-safe."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Wrap the arrays that `arranged_phrases.arrange` builds."""
        self._text = arrays["text"]
        self._begins = arrays["begins"]
        self._keys = arrays["keys"]
        self._phrases = arrays["phrases"]
        self._weights = arrays["weights"]
        blocks = np.arange(0, len(self._weights), _BLOCK)
        self._heaviest = np.maximum.reduceat(self._weights, blocks) if len(blocks) else self._weights

    def __len__(self) -> int:
        """Return the number of phrases."""
        return len(self._begins) - 1

    def starting_with(self, typed: str, most: int) -> list[str]:
        """Return the heaviest phrases that continue the typed text, at most `most`.

        Phrases that contain the whole text, from the beginning of a word on, come first. If there are few, phrases
        follow in which each typed word is the beginning of some word.
        """
        asked = folded(typed)
        words = asked.split()
        if not words:
            return []
        found = self._in_a_row(asked, most)
        if len(found) < most and len(words) > 1:
            others = self._with_all(words, most)
            found += [phrase for phrase in others if phrase not in found]
        return [self._phrase(phrase) for phrase in found[:most]]

    def _in_a_row(self, asked: str, most: int) -> list[int]:
        begin, end = self._run(asked)
        if len(asked.encode("utf-8", "replace")) <= KEY:
            return self._distinct(self._heaviest_in(begin, end, _MOST_WORDS * most))[:most]
        found: list[int] = []
        for tries in _TRIES:  # the text is longer than the keys
            phrases = self._distinct(self._heaviest_in(begin, end, tries))
            found = [each for each in phrases if _has_word_beginning(folded(self._phrase(each)), asked)][:most]
            if len(found) == most or end - begin <= tries:
                break
        return found

    def _with_all(self, words: Sequence[str], most: int) -> list[int]:
        """Return the phrases in which each of these words is the beginning of some word, at most `most`."""
        runs = sorted((self._run(word) for word in words), key=lambda run: run[1] - run[0])
        (begin, end), *others = runs
        entries = np.arange(begin, min(end, begin + _MOST_ENTRIES))
        for run_begin, run_end in others:
            is_there = np.zeros(len(self), np.bool_)
            is_there[self._phrases[run_begin:run_end]] = True
            entries = entries[is_there[self._phrases[entries]]]
        entries = entries[np.argsort(-self._weights[entries], kind="stable")]
        long = [word for word in words if len(word.encode("utf-8", "replace")) > KEY]
        phrases = self._distinct(entries[: _TRIES[0]])
        if long:
            keys = {each: folded(self._phrase(each)) for each in phrases}
            phrases = [each for each in phrases if all(_has_word_beginning(keys[each], word) for word in long)]
        return phrases[:most]

    def _run(self, asked: str) -> tuple[int, int]:
        """Return (begin, end) of the entries that begin with a text. Only their keys, the first bytes, are compared."""
        key = asked.encode("utf-8", "replace")[:KEY]
        first, last = (int.from_bytes(key.ljust(KEY, filling), "big") for filling in (b"\0", b"\xff"))
        begin = np.searchsorted(self._keys, np.uint64(first))
        return int(begin), int(np.searchsorted(self._keys, np.uint64(last), "right"))

    def _heaviest_in(self, begin: int, end: int, count: int) -> LongArray:
        """Return the heaviest entries in the range, in descending order of weight; ties keep their order."""
        if end - begin > 4 * _BLOCK * count:
            first, last = -(-begin // _BLOCK), end // _BLOCK
            blocks = first + np.argpartition(-self._heaviest[first:last], count)[:count]
            within = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
            edges = np.r_[begin : first * _BLOCK, last * _BLOCK : end]
            entries = np.sort(np.concatenate((within, edges)))
        else:
            entries = np.arange(begin, end)
        if len(entries) > count:
            least = -np.partition(-self._weights[entries], count - 1)[count - 1]
            entries = entries[self._weights[entries] >= least]
        return np.asarray(entries[np.argsort(-self._weights[entries], kind="stable")][:count], np.int64)

    def _distinct(self, entries: LongArray) -> list[int]:
        return list(dict.fromkeys(self._phrases[entries].tolist()))

    def _phrase(self, place: int) -> str:
        return str(self._text[self._begins[place] : self._begins[place + 1]].tobytes().decode())


def starts(key: str) -> Iterator[int]:
    """Yield the positions at which the first words of a folded phrase begin; the first is 0."""
    if key:
        yield 0
    for match in islice(_WORD.finditer(key, 1), _MOST_WORDS - 1):
        yield match.start()


def _has_word_beginning(key: str, asked: str) -> bool:
    return any(key.startswith(asked, start) for start in starts(key))
